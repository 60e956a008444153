/* SPDX-License-Identifier: MIT */
/*
 * samefringe - have two trees of different shape the same leaves in the same order?
 *
 * Each tree is walked by a plain recursive function inside a coroutine that stops at
 * every leaf. So the walks go side by side and end at the first difference; nothing
 * is copied into lists first.
 */
#define KCORO_INLINE
#include "sample.h"

#define LEAVES 100000

struct node {
	struct node *left, *right;	/* NULL in a leaf */
	int value;
};

static struct node nodes[4 * LEAVES];
static int used;

/* leaves @from to @to - 1; @part of 8 of them to the left */
static struct node *tree(int from, int to, int part)
{
	struct node *n = &nodes[used++];
	int cut = from + (to - from) * part / 8;

	n->value = from;
	if (to - from > 1) {
		cut = cut > from ? cut : from + 1;
		n->left = tree(from, cut, part);
		n->right = tree(cut, to, part);
	}
	return n;
}

struct walk {
	kcoro_t *co;
	struct node *root;
	struct node *leaf;	/* where it stands; NULL at the end */
};

static void visit(struct walk *w, struct node *n)
{
	if (n->left) {
		visit(w, n->left);
		visit(w, n->right);
		return;
	}
	w->leaf = n;
	kcoro_yield();
}

static void walk(void *arg)
{
	struct walk *w = arg;

	visit(w, w->root);
	w->leaf = NULL;
}

/* number of equal leaves before the first difference or the end */
static int compare(struct node *a, struct node *b, int *same)
{
	struct walk x = { .root = a }, y = { .root = b };
	int n = -1;

	x.co = sample_create(walk, &x, 0);
	y.co = sample_create(walk, &y, 0);
	do {
		n++;
		kcoro_resume(x.co);
		kcoro_resume(y.co);
	} while (x.leaf && y.leaf && x.leaf->value == y.leaf->value);
	*same = !x.leaf && !y.leaf;
	kcoro_destroy(x.co);
	kcoro_destroy(y.co);
	return n;
}

int main(void)
{
	struct node *a, *b, *last;
	int same, n;
	double t;

	sample_start();
	a = tree(0, LEAVES, 4);
	b = tree(0, LEAVES, 6);

	t = sample_ns();
	n = compare(a, b, &same);
	t = sample_ns() - t;
	printf("A balanced and a leaning tree: %s, %d leaves compared, %.1f ns per pair\n",
	       same ? "the same fringe" : "different", n, t / n);

	for (last = b; last->left; last = last->left)
		;
	last->value = -1;
	n = compare(a, b, &same);
	printf("With another first leaf:       %s, %d leaves compared\n",
	       same ? "the same fringe" : "different", n);
	return 0;
}
