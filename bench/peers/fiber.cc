// SPDX-License-Identifier: MIT
// fiber.cc - Boost.Fiber: its round robin scheduler, its channels and locks.
#include <boost/fiber/all.hpp>
#include <boost/version.hpp>
#include <unistd.h>

#include "peer.h"

namespace bf = boost::fibers;
typedef bf::unbuffered_channel<long> rendezvous;
typedef bf::buffered_channel<long> buffered;

#define PAIRS 8
#define SPREAD 2000	/* ns */

static unsigned long counter[SITES];

template <typename F> static bf::fiber start(F f)
{
	static bf::pooled_fixedsize_stack stacks(16384);

	return bf::fiber(bf::launch::post, std::allocator_arg, stacks, f);
}

static double yields(unsigned long count, int n)
{
	static bf::fiber co[MANY];
	unsigned long rounds = count / (2 * (unsigned long)n) + 1;
	auto body = [rounds](auto site) {
		return start([rounds] {
			for (unsigned long i = 0; i < rounds; i++) {
				boost::this_fiber::yield();
				counter[decltype(site)::value]++;
				boost::this_fiber::yield();
			}
		});
	};
	double t;

	for (int i = 0; i < n; i += 2) {
		if (i % 4)
			co[i] = body(std::integral_constant<int, 2>());
		else
			co[i] = body(std::integral_constant<int, 0>());
		if (i % 4)
			co[i + 1] = body(std::integral_constant<int, 3>());
		else
			co[i + 1] = body(std::integral_constant<int, 1>());
	}
	t = now_ns();
	for (int i = 0; i < n; i++)
		co[i].join();
	return (now_ns() - t) / ((double)rounds * 2 * n);
}

static double yield2(unsigned long count)
{
	return yields(count, 2);
}

static double yield1000(unsigned long count)
{
	return yields(count, MANY);
}

static unsigned long ended;

static double spawn_join(unsigned long count)
{
	double t = now_ns();

	for (unsigned long i = 0; i < count; i++)
		start([] { ended++; }).join();
	return (now_ns() - t) / (double)count;
}

static double spawn_cold(unsigned long count)
{
	double t = now_ns();

	ended = 0;
	for (unsigned long i = 0; i < count; i++)
		start([] { ended++; }).detach();
	while (ended < count)
		boost::this_fiber::yield();
	return (now_ns() - t) / (double)count;
}

static double spawn(unsigned long count)
{
	spawn_cold(count);
	return spawn_cold(count);
}

static double chan0(unsigned long count)
{
	unsigned long rounds = count / 4 + 1;
	rendezvous there, back;
	bf::fiber other = start([&] {
		for (unsigned long i = 0; i < rounds; i++) {
			back.push(there.value_pop());
			back.push(there.value_pop() + 1);
		}
	});
	double t = now_ns();
	long v = 0;

	for (unsigned long i = 0; i < rounds; i++) {
		there.push(v);
		v = back.value_pop() + 1;
		there.push(v);
		v = back.value_pop();
	}
	other.join();
	return (now_ns() - t) / ((double)rounds * 4);
}

template <typename C> static double streams(unsigned long count, C &ch, int pairs)
{
	unsigned long rounds = count / (2 * (unsigned long)pairs) + 1;
	bf::fiber co[2 * PAIRS];
	double t;

	for (int i = 0; i < pairs; i++) {
		co[2 * i] = start([&] {
			for (unsigned long r = 0; r < rounds; r++) {
				ch.push((long)r);
				ch.push((long)r);
			}
		});
		co[2 * i + 1] = start([&, i] {
			for (unsigned long r = 0; r < rounds; r++) {
				counter[i % SITES] += (unsigned long)ch.value_pop();
				ch.value_pop();
			}
		});
	}
	t = now_ns();
	for (int i = 0; i < 2 * pairs; i++)
		co[i].join();
	return (now_ns() - t) / ((double)rounds * 2 * pairs);
}

static double chan0s(unsigned long count)
{
	rendezvous ch;

	return streams(count, ch, 1);
}

static double chan128(unsigned long count)
{
	buffered ch(128);

	return streams(count, ch, 1);
}

static double mpmc(unsigned long count)
{
	buffered ch(128);

	return streams(count, ch, PAIRS);
}

static double mpmc0(unsigned long count)
{
	rendezvous ch;

	return streams(count, ch, PAIRS);
}

static double sieve(unsigned long count)
{
	rendezvous *in = new rendezvous;
	double t = now_ns();

	start([in] {
		for (long v = 2;; v++)
			in->push(v);
	}).detach();
	while (count--) {
		long prime = in->value_pop();
		rendezvous *from = in, *to = new rendezvous;

		start([from, to, prime] {
			for (;;) {
				long v = from->value_pop();

				if (v % prime)
					to->push(v);
			}
		}).detach();
		in = to;
	}
	return (now_ns() - t) / 1e6;
}

static double mutex(unsigned long count)
{
	unsigned long rounds = count / 2 + 1;
	bf::mutex m[2];
	double t = now_ns();

	for (unsigned long i = 0; i < rounds; i++) {
		m[0].lock();
		m[0].unlock();
		m[1].lock();
		m[1].unlock();
	}
	return (now_ns() - t) / ((double)rounds * 2);
}

static double conditions(unsigned long count)
{
	unsigned long rounds = count / 2 + 1;
	bf::condition_variable cond[2];
	bf::mutex m;
	int turn = 0;
	auto player = [&](int me) {
		std::unique_lock<bf::mutex> lock(m);

		for (unsigned long i = 0; i < rounds; i++) {
			while (turn != me)
				cond[me].wait(lock);
			turn = !me;
			cond[!me].notify_one();
		}
	};
	bf::fiber a = start([&] { player(0); }), b = start([&] { player(1); });
	double t = now_ns();

	a.join();
	b.join();
	return (now_ns() - t) / ((double)rounds * 2);
}

static double sleepers_once(unsigned long count)
{
	unsigned long left = count;
	double t = cpu_ns();

	for (unsigned long i = 0; i < count; i++)
		start([&left, count] {
			boost::this_fiber::sleep_for(std::chrono::nanoseconds(
				(unsigned long)random() % (SPREAD * count)));
			left--;
		}).detach();
	while (left)
		boost::this_fiber::sleep_for(std::chrono::milliseconds(1));
	return (cpu_ns() - t) / (double)count;
}

static double sleepers(unsigned long count)
{
	sleepers_once(count);
	return sleepers_once(count);
}

static const struct peer_workload workloads[] = {
	{ "yield2", yield2 },
	{ "yield1000", yield1000 },
	{ "spawn1", spawn_join },
	{ "spawn-join", spawn_join },
	{ "spawn100k", spawn },
	{ "spawn100k-cold", spawn_cold },
	{ "chan0", chan0 },
	{ "chan0s", chan0s },
	{ "chan128", chan128 },
	{ "mpmc", mpmc },
	{ "mpmc0", mpmc0 },
	{ "sieve", sieve },
	{ "mutex", mutex },
	{ "cond", conditions },
	{ "sleep1m", sleepers },
	{ nullptr, nullptr },
};

int main(int argc, char **argv)
{
	static const char lib[] = BOOST_LIB_VERSION;
	char version[64];
	struct peer peer = { version, nullptr, nullptr, nullptr, workloads };

	snprintf(version, sizeof(version), "boost.fiber %.*s.%s", (int)strcspn(lib, "_"), lib,
		 strchr(lib, '_') + 1);
	int err = peer_main(&peer, argc, argv);
	fflush(stdout);
	/* some fibers still wait: without their destructors */
	_exit(err);
}
