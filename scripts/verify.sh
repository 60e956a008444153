#!/bin/sh
# SPDX-License-Identifier: MIT
# verify.sh: run the tests and samples of the build in the current directory, on the machine it
# was built for, and say what works. RUNNER overrides how its programs are started.
set -u

machine=$($CC -dumpmachine)
cpu=${machine%%-*}
if [ -z "${RUNNER+set}" ]; then
	RUNNER=
	if [ "$cpu" != "$(uname -m)" ]; then
		# The sysroot of Debian's cross packages is named after the short triplet.
		RUNNER="qemu-$cpu -L /usr/$cpu-linux-gnu"
		command -v "qemu-$cpu" >/dev/null || {
			echo "verify: qemu-$cpu is missing; scripts/need test installs it" >&2
			exit 1
		}
	fi
fi
echo "port $ARCH, sources arch/$SRCARCH, compiler $machine, run ${RUNNER:-natively}"

log=$(mktemp)
trap 'rm -f "$log"' EXIT
failed=0

# run PROGRAM: with a limit, output to $log
run() {
	timeout 300 $RUNNER "$1" >"$log" 2>&1
}

for test in tests/*.ktest; do
	[ -e "$test" ] || { echo "verify: no tests were built"; exit 1; }
	run "./$test"
	status=$?
	passed=$(grep -c '^  *ok ' "$log")
	skipped=$(grep -c '^  *ok .*# SKIP' "$log")
	broken=$(grep -c '^  *not ok ' "$log")
	word=works
	[ $status -eq 0 ] && [ "$broken" -eq 0 ] && [ "$passed" -gt 0 ] || { word=FAILS; failed=1; }
	printf '  %-26s %-6s ok %-4d skipped %-4d not ok %d\n' "$test" $word \
		$((passed - skipped)) "$skipped" "$broken"
	if [ $word = FAILS ]; then
		grep '^ *not ok ' "$log" | sed 's/^ */      /'
		[ "$broken" -gt 0 ] || { echo "      exit status $status, the last lines were:"; tail -n 5 "$log" | sed 's/^/      /'; }
	fi
done
for sample in samples/* samples/porting/*; do
	[ -x "$sample" ] && [ -f "$sample" ] || continue
	if run "./$sample"; then
		printf '  %-26s works\n' "$sample"
	else
		printf '  %-26s FAILS  exit status %d\n' "$sample" $?
		tail -n 5 "$log" | sed 's/^/      /'
		failed=1
	fi
done
[ $failed -eq 0 ] && echo "all of it works on $ARCH" || echo "not everything works on $ARCH yet"
exit $failed
