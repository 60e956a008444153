#!/bin/sh
# SPDX-License-Identifier: MIT
# clean.sh [all]: remove from the current directory what the build made; with `all` also the
# configuration. Every target has a .NAME.cmd file beside it, and only these targets go.
set -eu

find . -name .git -prune -o -name '.*.cmd' -print | while read -r cmd; do
	dir=${cmd%/*}
	name=${cmd##*/.}
	rm -f "$cmd" "$cmd.d" "$dir/${name%.cmd}" "$dir/${name%.o.cmd}.gcno" "$dir/${name%.o.cmd}.gcda"
done
rm -f compile_commands.json tags
rm -rf bench/peers/.go-cache

if [ "${1-}" = all ]; then
	rm -rf include/config include/generated
	rm -f .config .config.old .kcoro-build defconfig size.baseline
fi
# Out of tree, what is empty now was made by the build.
[ -e Kconfig ] || find . -mindepth 1 -depth -type d -empty -delete
