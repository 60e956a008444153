#!/bin/sh
# SPDX-License-Identifier: MIT
# demo.sh: show what the build in the current directory can do. RUNNER= starts its programs.
set -u

if [ -t 1 ]; then bold=$(printf '\033[1m') plain=$(printf '\033[0m'); else bold= plain=; fi
failed=
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# show TITLE PROGRAM ARGS...: run it, output indented
show() {
	title=$1
	shift
	printf '\n%s%s%s\n  $ %s\n' "$bold" "$title" "$plain" "$*"
	${RUNNER:-} "./$@" >"$log" 2>&1
	status=$?
	sed 's/^/    /' "$log"
	[ $status -eq 0 ] || { failed="$failed $1"; echo "    (exit status $status)"; }
}

[ -x samples/hello ] && [ -x bench/kcbench ] || {
	echo "demo: nothing built here; run make demo" >&2
	exit 1
}
grep -o 'KC_ABI_TAG ".*"' include/generated/kcoro/config.h | sed 's/KC_ABI_TAG/This is/'

show "Coroutines: functions that stop in the middle and go on later" samples/hello
show "Generators: the loop is here, the recursion is over there" samples/generator
show "Two recursive walks, side by side" samples/samefringe
show "A parser that is fed, but reads as if it asked" samples/parser
show "Stages that hand over to each other directly" samples/pipeline
show "A million of them" samples/million
show "A stack overflow has a name" samples/overflow
show "A backtrace ends where the coroutine began" samples/backtrace
show "In memory of one's own, without any allocation" samples/embed
show "Is this port all right?" samples/porting/verify
show "How fast is it, and how fast are others, in the same run?" \
	bench/kcbench --peers --runs 3 switch create-warm create
if [ -n "$failed" ]; then
	printf '\ndemo: these failed:%s\n' "$failed" >&2
	exit 1
fi
printf '\n%sNext:%s make menuconfig; make check; Documentation/coroutines.md\n' "$bold" "$plain"
