#!/bin/sh
# SPDX-License-Identifier: MIT
# help.sh: what `make help` prints.
cat <<TEXT
Configuration (written to .config):
  menuconfig guiconfig    change it in a terminal, in a window
  defconfig               the defaults
  oldconfig olddefconfig  update an old .config: asking, or with defaults
  tinyconfig              the smallest library
  allnoconfig allyesconfig
  randconfig              KCONFIG_SEED=n repeats one, KCONFIG_RAND_INT=1 varies numbers too
  X.config                merge configs/X.config, or any file, into .config
  listnewconfig           symbols the .config does not mention
  savedefconfig           write the minimal form to ./defconfig
Ready-made:
TEXT
for f in "$srctree"/configs/*_defconfig; do
	[ -e "$f" ] || continue
	printf '  %-23s %s\n' "${f##*/}" "$(sed -n 's/^# *[Aa]bout: *//p' "$f" | head -n 1)"
done
printf 'Fragments:\n'
for f in "$srctree"/configs/*.config "$srctree"/configs/*/*.config; do
	[ -e "$f" ] || continue
	printf '  %-23s %s\n' "${f#"$srctree"/configs/}" "$(sed -n 's/^# *[Aa]bout: *//p' "$f" | head -n 1)"
done
cat <<TEXT
Build:
  all (default)           libkcoro.a and libkcoro.so
  samples bench tests     programs, in directories of these names
  install uninstall       DESTDIR= prefix=/usr/local libdir=
  clean mrproper          remove objects; also the configuration
Look:
  demo                    install what is missing, build, show what it does
  check                   install what tests need, run them (CHECK_ARGS= for pytest)
  verify                  tell what works on ARCH=
  coverage lint
  size                    text, data and bss by object; source lines by directory
  size-baseline size-diff remember the sizes; compare by function
  compile_commands.json tags
Variables:
  O=dir                   build there (it remembers ARCH, CROSS_COMPILE, LLVM, EXTERNAL)
  ARCH=                   $(cd "$srctree/arch" && echo */ | tr -d /)
  CROSS_COMPILE= LLVM=1   tool chain; default for a foreign ARCH: Debian's cross compiler
  EXTERNAL=dir            plug-ins outside the tree
  V=1 V=2 W=1             show commands; show why; more warnings
  CFLAGS= LDFLAGS=        added after the build's own flags
TEXT
