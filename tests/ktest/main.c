// SPDX-License-Identifier: MIT
/* The command line of a test program and the register of its cases. */
#include <fnmatch.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "run.h"

/* Made by the linker around the section that KTEST() fills. */
extern const struct ktest_case *const __start_ktest_cases[];
extern const struct ktest_case *const __stop_ktest_cases[];

static const char usage[] =
	"usage: %s [options]\n"
	"  --list             print the cases, one suite.case[param] per line\n"
	"  --run GLOB         run a suite, suite.case or suite.case[param]; repeatable\n"
	"  --seed N           of ktest_rand(); printed in the output\n"
	"  --repeat N         run each case N times, or until it fails\n"
	"  --no-fork          run in this process, for a debugger\n"
	"  --no-slow          leave slow cases out\n"
	"  --timeout-scale X  multiply time-outs, for emulators and sanitizers\n"
	"  --verbose          show the output of passing cases too\n";

const char *ktest_param_desc(const struct ktest_case *c, size_t i)
{
	const char *param = (const char *)c->params + i * c->stride + c->desc;

	return *(const char *const *)param;
}

void ktest_full_name(const struct ktest_case *c, size_t i, char *buf, size_t size)
{
	if (c->params)
		snprintf(buf, size, "%s.%s[%s]", c->suite->name, c->name, ktest_param_desc(c, i));
	else
		snprintf(buf, size, "%s.%s", c->suite->name, c->name);
}

static bool matches(const char *glob, const char *name)
{
	return strcmp(glob, name) == 0 || fnmatch(glob, name, 0) == 0;
}

bool ktest_selected(const struct ktest_case *c, size_t i, const struct ktest_options *opt)
{
	char name[512];

	if (!opt->globs[0])
		return true;
	for (const char **glob = opt->globs; *glob; glob++) {
		ktest_full_name(c, i, name, sizeof(name));
		if (matches(*glob, name))
			return true;
		snprintf(name, sizeof(name), "%s.%s", c->suite->name, c->name);
		if (matches(*glob, name) || matches(*glob, c->suite->name))
			return true;
	}
	return false;
}

/* The compiler may emit the pointers in any order; people expect that of the source. */
static int by_suite_and_line(const void *pa, const void *pb)
{
	const struct ktest_case *a = *(const struct ktest_case *const *)pa;
	const struct ktest_case *b = *(const struct ktest_case *const *)pb;
	int order = strcmp(a->suite->name, b->suite->name);

	if (!order)
		order = (a->line > b->line) - (a->line < b->line);
	return order ? order : strcmp(a->name, b->name);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Two cases of one name would share a result, and '#' or a newline would break the report. */
static bool names_are_good(const struct ktest_case **cases, size_t n)
{
	size_t count = 0, used = 0;
	bool good = true;
	char **names, buf[512];

	for (size_t i = 0; i < n; i++)
		count += cases[i]->nparams;
	names = calloc(count, sizeof(*names));
	for (size_t i = 0; names && i < n; i++) {
		for (size_t p = 0; p < cases[i]->nparams; p++) {
			ktest_full_name(cases[i], p, buf, sizeof(buf));
			if (strpbrk(buf, "#\n")) {
				fprintf(stderr, "ktest: bad name: %s\n", buf);
				good = false;
			}
			names[used++] = strdup(buf);
		}
	}
	if (!names)
		return false;
	qsort(names, used, sizeof(*names), by_text);
	for (size_t i = 0; i < used; i++) {
		if (i && strcmp(names[i], names[i - 1]) == 0) {
			fprintf(stderr, "ktest: two cases are named %s\n", names[i]);
			good = false;
		}
	}
	for (size_t i = 0; i < used; i++)
		free(names[i]);
	free(names);
	return good;
}

static void list(const struct ktest_case **cases, size_t n, const struct ktest_options *opt)
{
	char name[512];

	for (size_t i = 0; i < n; i++) {
		for (size_t p = 0; p < cases[i]->nparams; p++) {
			if (!ktest_selected(cases[i], p, opt))
				continue;
			ktest_full_name(cases[i], p, name, sizeof(name));
			puts(name);
		}
	}
}

static int die(const char *program)
{
	fprintf(stderr, usage, program);
	return 2;
}

int main(int argc, char **argv)
{
	enum { LIST = 1, RUN, SEED, REPEAT, NO_FORK, NO_SLOW, SCALE, VERBOSE, HELP };
	static const struct option options[] = {
		{ "list", no_argument, NULL, LIST },
		{ "run", required_argument, NULL, RUN },
		{ "seed", required_argument, NULL, SEED },
		{ "repeat", required_argument, NULL, REPEAT },
		{ "no-fork", no_argument, NULL, NO_FORK },
		{ "no-slow", no_argument, NULL, NO_SLOW },
		{ "timeout-scale", required_argument, NULL, SCALE },
		{ "verbose", no_argument, NULL, VERBOSE },
		{ "help", no_argument, NULL, HELP },
		{ NULL, 0, NULL, 0 },
	};
	struct ktest_options opt = { .program = argv[0], .repeat = 1, .scale = 1 };
	size_t n = 0, nglobs = 0, max = (size_t)(__stop_ktest_cases - __start_ktest_cases);
	const struct ktest_case **cases = calloc(max + 1, sizeof(*cases));
	bool only_list = false;
	struct timespec ts;
	int c, status = 0;

	opt.globs = calloc((size_t)argc + 1, sizeof(*opt.globs));
	if (!cases || !opt.globs)
		return 2;
	clock_gettime(CLOCK_REALTIME, &ts);
	opt.seed = (uint64_t)ts.tv_sec ^ (uint64_t)ts.tv_nsec;
	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case LIST: only_list = true; break;
		case RUN: opt.globs[nglobs++] = optarg; break;
		case SEED: opt.seed = strtoull(optarg, NULL, 0); break;
		case REPEAT: opt.repeat = (unsigned int)strtoul(optarg, NULL, 0); break;
		case NO_FORK: opt.no_fork = true; break;
		case NO_SLOW: opt.no_slow = true; break;
		case SCALE: opt.scale = strtod(optarg, NULL); break;
		case VERBOSE: opt.verbose = true; break;
		case HELP: printf(usage, argv[0]); return 0;
		default: return die(argv[0]);
		}
	}
	if (optind != argc || !opt.repeat || !(opt.scale > 0))
		return die(argv[0]);

	for (size_t i = 0; i < max; i++)
		if (__start_ktest_cases[i])	/* an instrumented section may hold padding */
			cases[n++] = __start_ktest_cases[i];
	qsort(cases, n, sizeof(*cases), by_suite_and_line);
	if (!names_are_good(cases, n))
		return 2;
	if (only_list)
		list(cases, n, &opt);
	else
		status = ktest_run(cases, n, &opt);
	free(opt.globs);
	free(cases);
	return status;
}
