#!/bin/sh
# SPDX-License-Identifier: MIT
# fixdep.sh DEPFILE TARGET COMMAND: turn the compiler's dependency file into make rules.
#
# Every source sees the whole configuration through autoconf.h and kcoro/config.h. Depending on
# these would rebuild everything whenever one symbol changes. So they are dropped here, and each
# CONFIG_ name found in the sources outside comments becomes a dependency on that symbol's own stamp
# in include/config. When in doubt a name counts: a needless rebuild is harmless, a missing one
# is not. A name made by token pasting would be missed, which is why scripts/lint.py forbids it.
set -eu
LC_ALL=C
export LC_ALL

files=$(sed -e 's/^[^:]*://' -e 's/\\$//' "$1" | tr -s ' \n' '\n' |
	grep -v -e '^$' -e '^include/generated/autoconf\.h$' -e '^include/generated/kcoro/config\.h$')

printf 'savedcmd_%s := %s\n\n' "$2" "$3"
printf 'deps_%s := \\\n' "$2"
printf '  %s \\\n' $files
awk '
	FNR == 1 { comment = 0 }
	!comment && !/CONFIG_|KC_ABI_TAG|KC_VERSION|\/\*/ { next }
	{
		rest = $0
		code = ""
		while (rest != "") {
			at = index(rest, comment ? "*/" : "/*")
			before = at ? substr(rest, 1, at - 1) : rest
			if (!comment)
				code = code " " before
			# In a string or a // comment these two characters open nothing.
			if (!comment && at && before ~ /"|\/\//) {
				code = code " " rest
				at = 0
			}
			if (at)
				comment = !comment
			rest = at ? substr(rest, at + 2) : ""
		}
		while (match(code, /CONFIG_[A-Z0-9_]+|KC_ABI_TAG|KC_VERSION/)) {
			print substr(code, RSTART, RLENGTH)
			code = substr(code, RSTART + RLENGTH)
		}
	}' $files | sort -u | sed -e 's/^CONFIG_//' -e 's|.*|  $(wildcard include/config/&) \\|'
printf '\n%s: $(deps_%s)\n$(deps_%s):\n' "$2" "$2" "$2"
