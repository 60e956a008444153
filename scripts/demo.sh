#!/bin/sh
# SPDX-License-Identifier: MIT
# demo.sh: show what the build in the current directory can do. RUNNER= starts its programs.
set -u

if [ -t 1 ]; then bold=$(printf '\033[1m') plain=$(printf '\033[0m'); else bold= plain=; fi
failed=
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# show TITLE PROGRAM ARGS...: run it, output indented, if this configuration has it
show() {
	title=$1
	shift
	[ -x "$1" ] || return
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
show "A worker pool, as in Go" samples/goc
show "Fan out, fan in" samples/fan
show "A channel and a coroutine for each prime" samples/sieve 150
show "Stages with channels between them" samples/stages
show "Ticks, and a select that hears them" samples/ticker
show "So many a second, and no more" samples/ratelimit
show "Who waits for whom in a deadlock" samples/philosophers
show "A collector that looks at parked stacks" samples/gc
show "In memory of one's own, without any allocation" samples/embed
show "Is this port all right?" samples/porting/verify
workloads=$(${RUNNER:-} ./bench/kcbench --list | cut -d' ' -f1 | \
	grep -xE 'switch|create-warm|create|yield2|chan0|chan128|select8|sieve')
# shellcheck disable=SC2086 # words on purpose
show "How fast is it, and how fast are others, in the same run?" \
	bench/kcbench --peers --runs 3 $workloads
if [ -n "$failed" ]; then
	printf '\ndemo: these failed:%s\n' "$failed" >&2
	exit 1
fi
printf '\n%sNext:%s make menuconfig; make check; Documentation/go-in-c.md\n' "$bold" "$plain"
