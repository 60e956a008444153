#!/bin/sh
# SPDX-License-Identifier: MIT
# fixdep.sh DEPFILE TARGET COMMAND: turn the compiler's dependency file into make rules.
#
# Every source sees the whole configuration through autoconf.h and kcoro/config.h. Depending on
# these would rebuild everything whenever one symbol changes. So they are dropped here, and each
# CONFIG_ name found in the sources becomes a dependency on that symbol's own stamp in
# include/config. A name in a comment costs a needless rebuild at worst. A name made by token
# pasting would be missed, which is why scripts/lint.py forbids it.
set -eu
LC_ALL=C
export LC_ALL

files=$(sed -e 's/^[^:]*://' -e 's/\\$//' "$1" | tr -s ' \n' '\n' |
	grep -v -e '^$' -e '^include/generated/autoconf\.h$' -e '^include/generated/kcoro/config\.h$')

printf 'savedcmd_%s := %s\n\n' "$2" "$3"
printf 'deps_%s := \\\n' "$2"
printf '  %s \\\n' $files
{ grep -ohE 'CONFIG_[A-Z0-9_]+|KC_ABI_TAG|KC_VERSION' $files || :; } | sort -u |
	sed -e 's/^CONFIG_//' -e 's|.*|  $(wildcard include/config/&) \\|'
printf '\n%s: $(deps_%s)\n$(deps_%s):\n' "$2" "$2" "$2"
