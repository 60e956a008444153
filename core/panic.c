// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <internal/arch.h>
#include <internal/coro.h>

/* Set once at start by the program, read by whoever panics. */
static void (*panic_hook)(const struct kcoro_panic *p);

void kcoro_set_panic_hook(void (*hook)(const struct kcoro_panic *p))
{
	kc_write(&panic_hook, hook);
}

#ifdef CONFIG_PANIC_TEXT

/* A line under construction; no stdio, because this may be a signal handler. */
struct line {
	char text[320];
	size_t len;
};

static void put(struct line *l, const char *s)
{
	while (*s && l->len < sizeof(l->text) - 1)
		l->text[l->len++] = *s++;
}

static void put_number(struct line *l, uint64_t n, unsigned int base)
{
	char digits[24];
	size_t i = sizeof(digits);

	digits[--i] = '\0';
	do {
		digits[--i] = "0123456789abcdef"[n % base];
		n /= base;
	} while (n);
	put(l, base == 16 ? "0x" : "");
	put(l, digits + i);
}

static void print(const struct kcoro_panic *p)
{
	struct line l = { .len = 0 };
	ssize_t n;

	put(&l, "kcoro: panic: ");
	put(&l, p->what);
	if (p->co) {
		put(&l, ": coroutine ");
		put_number(&l, p->id, 10);
		put(&l, " '");
		put(&l, p->name);
		put(&l, "'");
	}
	if (p->stack_high) {
		put(&l, ", stack ");
		put_number(&l, (uintptr_t)p->stack_low, 16);
		put(&l, "-");
		put_number(&l, (uintptr_t)p->stack_high, 16);
	}
	if (p->address) {
		put(&l, ", address ");
		put_number(&l, (uintptr_t)p->address, 16);
	}
	put(&l, "\n");
	n = write(STDERR_FILENO, l.text, l.len);
	(void)n;
}

#else

static void print(const struct kcoro_panic *p)
{
	(void)p;
}

#endif

void kc_panic_report(const char *what, const kcoro_t *co, const void *address)
{
	struct kcoro_panic p = { .what = what, .co = co, .name = "", .address = address };
	void (*hook)(const struct kcoro_panic *) = kc_read(&panic_hook);

	if (co) {
		p.id = co->id;
		p.name = kc_name(co);
		if (co->stack.size) {
			p.stack_low = co->stack.base;
			p.stack_high = co->stack.base + co->stack.size;
		}
	}
	if (hook)
		hook(&p);
	print(&p);
}

void kc_panic(const char *what, const kcoro_t *co)
{
	kc_panic_report(what, co, NULL);
	abort();
}

void kc_protector(void)
{
	kc_panic("control passed the end of a coroutine", kc_me());
}
