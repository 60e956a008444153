// SPDX-License-Identifier: MIT
/*
 * The identity of the library: version, ABI tag, and the .config it was built from.
 */
#include <errno.h>
#include <string.h>
#include <kcoro/kc_config.h>
#include <config-blob.h>

/*
 * The configuration for scripts/extract-config. The section is not loaded, so it costs no memory;
 * "R" keeps it when an application is linked with --gc-sections. Whoever refers to
 * kc_config_blob pulls it out of the archive.
 */
__asm__(".pushsection .kcoro.config, \"R\", %progbits\n"
	".globl kc_config_blob\n"
	".hidden kc_config_blob\n"
	"kc_config_blob:\n"
	KC_CONFIG_BLOB
	".popsection\n");

const char *kc_version(void)
{
	return KC_VERSION;
}

const char *kc_abi_tag(void)
{
	return KC_ABI_TAG;
}

int kc_abi_check(const char *tag)
{
	return strcmp(tag, KC_ABI_TAG) ? -ELIBBAD : 0;
}

/* Append @s at buf[at]; the result may exceed @len, which means "cut". */
static size_t append(char *buf, size_t len, size_t at, const char *s)
{
	for (; *s; s++, at++)
		if (at < len)
			buf[at] = *s;
	return at;
}

int kc_abi_explain(const char *tag, char *buf, size_t len)
{
	int err = kc_abi_check(tag);
	size_t at;

	if (!len)
		return err;
	len--;
	at = append(buf, len, 0, err ? "kcoro: the program was compiled for \"" :
				       "kcoro: program and library agree on \"");
	at = append(buf, len, at, tag);
	if (err) {
		at = append(buf, len, at, "\", but the library is \"");
		at = append(buf, len, at, KC_ABI_TAG);
	}
	at = append(buf, len, at, "\"");
	buf[at < len ? at : len] = '\0';
	return err;
}
