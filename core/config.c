// SPDX-License-Identifier: MIT
/*
 * Run-time query of the configuration.
 */
#include <string.h>
#include <kcoro/kc_config.h>

struct entry {
	const char *name;
	const char *value;
};

/* Generated in order of names. */
static const struct entry table[] = {
#define KC_CONFIG_ENTRY(name, value) { name, value },
#include <config-table.h>
};

#define TABLE_LEN (sizeof(table) / sizeof(table[0]))

const char *kc_config_get(const char *name)
{
	for (size_t i = 0; i < TABLE_LEN; i++)
		if (!strcmp(table[i].name, name))
			return table[i].value;
	return NULL;
}

int kc_config_each(int (*fn)(const char *name, const char *value, void *arg), void *arg)
{
	int ret = 0;

	for (size_t i = 0; i < TABLE_LEN && !ret; i++)
		ret = fn(table[i].name, table[i].value, arg);
	return ret;
}
