// SPDX-License-Identifier: MIT
/* Readers share, a writer is alone; first come, first served. */
#include <errno.h>

#include <internal/runtime.h>
#include <kcoro/sync.h>

/* node->data of those who wait */
#define READER	((void *)0)
#define WRITER	((void *)1)

void kc_rwlock_init(struct kc_rwlock *l)
{
	*l = (struct kc_rwlock)KC_RWLOCK_INIT;
}

/* let in whoever may come in now, in order */
static void admit(struct kc_rwlock *l)
{
	struct kc_node *n;

	while ((n = l->queue_.first) && !l->writer_) {
		if (n->data == WRITER) {
			if (l->readers_)
				return;
			l->writer_ = (kcoro_t *)n->wait->co;
		} else {
			l->readers_++;
		}
		kc_wait_end(n->wait, n, 0);
	}
}

static int check(const struct kc_rwlock *l)
{
	struct kcoro *me = kc_me();

	if (!l)
		return -EINVAL;
	if (!me)
		return -EPERM;
	return l->writer_ == me ? -EDEADLK : 0;
}

/*
 * A writer that gives up may have been what kept readers out. It comes back to the lock when it
 * is in no queue any more: the lock must not go before.
 */
static int sleep_as(struct kc_rwlock *l, kc_time_t deadline, void *kind)
{
	int err;

	l->waiters_++;
	err = kc_waitq_sleep(&l->queue_, deadline, kind == WRITER ? "write lock" : "read lock",
			     l, &l->writer_, kind);
	l->waiters_--;
	if (err)
		admit(l);
	return err;
}

int kc_try_rwlock_read(struct kc_rwlock *l)
{
	int err = check(l);

	if (err)
		return err;
	if (l->writer_ || l->queue_.first)
		return -EBUSY;
	l->readers_++;
	return 0;
}

int kc_rwlock_read_until(struct kc_rwlock *l, kc_time_t deadline)
{
	int err = kc_try_rwlock_read(l);

	return err == -EBUSY ? sleep_as(l, deadline, READER) : err;
}

int kc_rwlock_read(struct kc_rwlock *l)
{
	return kc_rwlock_read_until(l, KC_FOREVER);
}

int kc_try_rwlock_write(struct kc_rwlock *l)
{
	int err = check(l);

	if (err)
		return err;
	if (l->writer_ || l->readers_)
		return -EBUSY;
	l->writer_ = kc_me();
	return 0;
}

int kc_rwlock_write_until(struct kc_rwlock *l, kc_time_t deadline)
{
	int err = kc_try_rwlock_write(l);

	return err == -EBUSY ? sleep_as(l, deadline, WRITER) : err;
}

int kc_rwlock_write(struct kc_rwlock *l)
{
	return kc_rwlock_write_until(l, KC_FOREVER);
}

int kc_rwlock_unlock(struct kc_rwlock *l)
{
	if (!l)
		return -EINVAL;
	if (l->writer_ ? l->writer_ != kc_me() : !l->readers_)
		return -EPERM;
	if (l->writer_)
		l->writer_ = NULL;
	else
		l->readers_--;
	admit(l);
	return 0;
}

int kc_rwlock_destroy(struct kc_rwlock *l)
{
	if (!l)
		return -EINVAL;
	return l->readers_ || l->writer_ || l->waiters_ ? -EBUSY : 0;
}
