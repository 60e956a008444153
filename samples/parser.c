/* SPDX-License-Identifier: MIT */
/*
 * parser - a parser that is fed, but reads as if it asked.
 *
 * Bytes arrive in pieces that end anywhere, as from a network. The parser calls
 * advance() wherever its grammar wants a byte, also deep in a recursion; advance() yields
 * when the piece is used up. No state machine, no buffering of half a message.
 */
#include "sample.h"

struct parser {
	kcoro_t *co;
	const char *piece;
	size_t left;
	int end;		/* no more pieces will come */
	int look;		/* one byte ahead, -1 at the end */
	long answers[8];
	int n;
};

static void advance(struct parser *p)
{
	while (!p->left && !p->end)
		kcoro_yield();
	if (p->left) {
		p->look = (unsigned char)*p->piece++;
		p->left--;
	} else {
		p->look = -1;
	}
}

static void blanks(struct parser *p)
{
	while (p->look == ' ' || p->look == '\n')
		advance(p);
}

/* NUMBER, or (+ EXPR...), or (* EXPR...) */
static long expr(struct parser *p)
{
	long value = 0;

	blanks(p);
	if (p->look == '(') {
		int op;

		advance(p);
		op = p->look;
		value = op == '*';
		for (advance(p), blanks(p); p->look != ')' && p->look >= 0; blanks(p))
			value = op == '*' ? value * expr(p) : value + expr(p);
		advance(p);
		return value;
	}
	for (; p->look >= '0' && p->look <= '9'; advance(p))
		value = value * 10 + p->look - '0';
	return value;
}

static void parse(void *arg)
{
	struct parser *p = arg;

	advance(p);
	for (blanks(p); p->look >= 0 && p->n < 8; blanks(p)) {
		p->answers[p->n] = expr(p);
		p->n++;
	}
}

static void feed(struct parser *p, const char *piece, size_t len)
{
	p->piece = piece;
	p->left = len;
	p->end = !len;
	kcoro_resume(p->co);
}

int main(void)
{
	static const char text[] = "(+ 1 2 3)\n(* 4 (+ 5 6) 7)\n(+ 100 (* 2 (+ 3 (* 4 5))))\n";
	struct parser p = { 0 };
	int seen = 0;

	sample_start();
	p.co = sample_create(parse, &p, 0);
	for (size_t at = 0; at < sizeof(text) - 1; at += 5) {
		size_t len = sizeof(text) - 1 - at < 5 ? sizeof(text) - 1 - at : 5;

		feed(&p, text + at, len);
		printf("  [");
		for (size_t i = at; i < at + len; i++)
			putchar(text[i] == '\n' ? '|' : text[i]);
		printf("]");
		while (seen < p.n)
			printf("  = %ld", p.answers[seen++]);
		printf("\n");
	}
	feed(&p, "", 0);
	printf("%d expressions from pieces of five bytes; the parser is %s\n", p.n,
	       kcoro_state_name(kcoro_state(p.co)));
	kcoro_destroy(p.co);
	return 0;
}
