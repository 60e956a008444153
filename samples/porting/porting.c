/* SPDX-License-Identifier: MIT */
/* porting - what the compiler says about this machine, and which port fits it. */
#include "sample.h"

struct fact {
	const char *name;
	int yes;
};

#ifdef __linux__
#define IS_LINUX 1
#else
#define IS_LINUX 0
#endif
#ifdef __APPLE__
#define IS_APPLE 1
#else
#define IS_APPLE 0
#endif
#if defined(__FreeBSD__) || defined(__NetBSD__) || defined(__OpenBSD__)
#define IS_BSD 1
#else
#define IS_BSD 0
#endif
#ifdef __GLIBC__
#define IS_GLIBC 1
#else
#define IS_GLIBC 0
#endif
#ifdef __x86_64__
#define IS_X86_64 1
#else
#define IS_X86_64 0
#endif
#ifdef __aarch64__
#define IS_ARM64 1
#else
#define IS_ARM64 0
#endif
#ifdef __riscv
#define IS_RISCV 1
#else
#define IS_RISCV 0
#endif
#ifdef __SOFTFP__
#define SOFT_FLOAT 1
#elif defined(__riscv) && !defined(__riscv_flen)
#define SOFT_FLOAT 1
#else
#define SOFT_FLOAT 0
#endif
#if defined(__CET__) || defined(__ARM_FEATURE_BTI_DEFAULT)
#define LANDING_PADS 1
#else
#define LANDING_PADS 0
#endif

static void show(const char *title, const struct fact *facts, size_t n)
{
	printf("%-22s", title);
	for (size_t i = 0; i < n; i++)
		if (facts[i].yes)
			printf(" %s", facts[i].name);
	printf("\n");
}

int main(void)
{
	static const struct fact os[] = {
		{ "Linux", IS_LINUX }, { "macOS", IS_APPLE }, { "BSD", IS_BSD },
		{ "another", !IS_LINUX && !IS_APPLE && !IS_BSD }, { "(glibc)", IS_GLIBC },
	};
	static const struct fact cpu[] = {
		{ "x86_64", IS_X86_64 }, { "arm64", IS_ARM64 }, { "riscv", IS_RISCV },
		{ "another", !IS_X86_64 && !IS_ARM64 && !IS_RISCV },
	};
	static const struct fact abi[] = {
		{ "big-endian", __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ },
		{ "little-endian", __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ },
		{ "char-is-signed", (char)-1 < 0 }, { "soft-float", SOFT_FLOAT },
		{ "landing-pads", LANDING_PADS },
	};
	static const char *const port = IS_X86_64 ? "arch/x86_64" : IS_ARM64 ? "arch/arm64" :
					IS_RISCV && sizeof(void *) == 8 ? "arch/riscv" :
					"none yet: make ARCH=generic works on ucontext";

	show("operating system", os, sizeof(os) / sizeof(os[0]));
	show("processor", cpu, sizeof(cpu) / sizeof(cpu[0]));
	show("ABI", abi, sizeof(abi) / sizeof(abi[0]));
	printf("%-22s pointer %zu, int %zu, long %zu, long double %zu\n", "bytes", sizeof(void *),
	       sizeof(int), sizeof(long), sizeof(long double));
	printf("%-22s %zu\n", "largest alignment", (size_t)__BIGGEST_ALIGNMENT__);
	printf("%-22s %s\n", "compiler", __VERSION__);
	printf("%-22s %s\n", "port that fits", port);
	printf("%-22s %s\n", "this library is", kc_abi_tag());
	return 0;
}
