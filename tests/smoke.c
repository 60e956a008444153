// SPDX-License-Identifier: MIT
/*
 * The least that every configuration can do. One small program without ktest, so that dozens of
 * random configurations can be built and tried in little time. Exit status 0 and "smoke: ok".
 */
#include <stdio.h>
#include <string.h>

#include <kcoro/kcoro.h>

#define CHECK(cond)								\
	do {									\
		if (!(cond)) {							\
			printf("smoke: %s:%d: %s\n", __FILE__, __LINE__, #cond);	\
			return 1;						\
		}								\
	} while (0)

struct job {
	kcoro_t *self, *next;
	int rounds, steps;
	double sum;
};

static void count(void *arg)
{
	struct job *job = arg;
	volatile char frame[256];

	memset((char *)frame, job->rounds, sizeof(frame));
	for (job->steps = 0; job->steps < job->rounds; job->steps++) {
		job->sum += 0.5;
		kcoro_yield();
	}
	if (frame[255] == (char)job->rounds)
		job->steps = -job->steps;
}

static void sleeper(void *arg)
{
	struct job *job = arg;

	kcoro_park();
	job->steps++;
	kcoro_park();
	job->steps++;
}

static void ring(void *arg)
{
	struct job *job = arg;

	while (job->steps++ < job->rounds)
		kcoro_yield_to(job->next);
}

static int interleave(void)
{
	struct job jobs[3] = { { .rounds = 3 }, { .rounds = 5 }, { .rounds = 100 } };

	for (int i = 0; i < 3; i++) {
		jobs[i].self = kcoro_create(count, &jobs[i], 0);
		CHECK(jobs[i].self);
		CHECK(kcoro_state(jobs[i].self) == KCORO_CREATED);
	}
	for (int round = 0; round <= 100; round++)
		for (int i = 0; i < 3; i++)
			if (kcoro_state(jobs[i].self) != KCORO_FINISHED)
				CHECK(kcoro_resume(jobs[i].self) == 0);
	for (int i = 0; i < 3; i++) {
		CHECK(kcoro_state(jobs[i].self) == KCORO_FINISHED);
		CHECK(kcoro_resume(jobs[i].self) < 0);
		CHECK(jobs[i].steps == -jobs[i].rounds);
		CHECK(jobs[i].sum == jobs[i].rounds * 0.5);
		CHECK(kcoro_destroy(jobs[i].self) == 0);
	}
	return 0;
}

static int park(void)
{
	struct job job = { .steps = 0 };

	job.self = kcoro_create(sleeper, &job, 0);
	CHECK(job.self);
	CHECK(kcoro_resume(job.self) == 0);
	CHECK(kcoro_state(job.self) == KCORO_PARKED);
	CHECK(kcoro_resume(job.self) < 0);
	CHECK(kcoro_unpark(job.self) == 1);
	CHECK(kcoro_unpark(job.self) == 0);	/* remembered for the second park */
	CHECK(kcoro_resume(job.self) == 0);
	CHECK(kcoro_state(job.self) == KCORO_FINISHED && job.steps == 2);
	CHECK(kcoro_destroy(job.self) == 0);
	return 0;
}

static int yield_to(void)
{
	struct job jobs[3] = { { .rounds = 50 }, { .rounds = 50 }, { .rounds = 50 } };
	int finished = 0;

	for (int i = 0; i < 3; i++) {
		jobs[i].self = kcoro_create(ring, &jobs[i], 0);
		CHECK(jobs[i].self);
	}
	for (int i = 0; i < 3; i++)
		jobs[i].next = jobs[(i + 1) % 3].self;
	for (int round = 0; round < 100 && finished < 3; round++) {
		finished = 0;
		for (int i = 0; i < 3; i++) {
			if (kcoro_state(jobs[i].self) == KCORO_FINISHED)
				finished++;
			else
				kcoro_resume(jobs[i].self);
		}
	}
	CHECK(finished == 3);
	for (int i = 0; i < 3; i++) {
		CHECK(jobs[i].steps == 51);
		kcoro_put(jobs[i].self);
	}
	return 0;
}

int main(void)
{
	CHECK(kcoro_create_main());
	if (interleave() || park() || yield_to())
		return 1;
	CHECK(kcoro_detach() == 0);
	CHECK(!kcoro_current());
	printf("smoke: ok\n");
	return 0;
}
