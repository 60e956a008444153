// SPDX-License-Identifier: MIT
// boost.cc - Boost.Context's bare jump, without the C++ objects around it.
#include <boost/context/detail/fcontext.hpp>
#include <boost/version.hpp>

#include "peer.h"

using boost::context::detail::fcontext_t;
using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

static unsigned long counter[SITES];

template <int N> static void body(transfer_t t)
{
	for (;;) {
		t = jump_fcontext(t.fctx, nullptr);
		counter[N]++;
	}
}

static void ends(transfer_t t)
{
	jump_fcontext(t.fctx, nullptr);
}

typedef void (*body_fn)(transfer_t);
static const body_fn bodies[SITES] = { body<0>, body<1>, body<2>, body<3> };

static double switches(unsigned long count, int n)
{
	unsigned long rounds = count / (2 * (unsigned long)n) + 1;
	char *mem = peer_stacks((unsigned long)n);
	static fcontext_t co[MANY];
	double t;

	for (int i = 0; i < n; i++) {
		co[i] = make_fcontext(mem + ((unsigned long)i + 1) * STACK_SIZE, STACK_SIZE,
				      bodies[i % SITES]);
		co[i] = jump_fcontext(co[i], nullptr).fctx;
	}
	t = now_ns();
	for (unsigned long r = 0; r < rounds; r++)
		for (int i = 0; i < n; i += SITES) {
			co[i] = jump_fcontext(co[i], nullptr).fctx;
			co[i + 1] = jump_fcontext(co[i + 1], nullptr).fctx;
			co[i + 2] = jump_fcontext(co[i + 2], nullptr).fctx;
			co[i + 3] = jump_fcontext(co[i + 3], nullptr).fctx;
		}
	return (now_ns() - t) / ((double)rounds * 2 * n);
}

static int create(unsigned long count)
{
	char *mem = peer_stacks(count);

	for (unsigned long i = 0; i < count; i++)
		jump_fcontext(make_fcontext(mem + (i + 1) * STACK_SIZE, STACK_SIZE, body<0>),
			      nullptr);
	return 0;
}

static int create_warm(void)
{
	static char *mem = peer_stacks(1);

	jump_fcontext(make_fcontext(mem + STACK_SIZE, STACK_SIZE, ends), nullptr);
	return 0;
}

int main(int argc, char **argv)
{
	static const char lib[] = BOOST_LIB_VERSION;
	char version[64];
	struct peer peer = { version, switches, create, create_warm, nullptr };

	snprintf(version, sizeof(version), "boost.context %.*s.%s", (int)strcspn(lib, "_"), lib,
		 strchr(lib, '_') + 1);
	return peer_main(&peer, argc, argv);
}
