# SPDX-License-Identifier: MIT
# kcoro's top makefile: where to build, for what, and the list of goals. The rules that compile
# live in scripts/Makefile.build; `make help` lists the goals; Documentation/build.md explains.

VERSION    = 0
PATCHLEVEL = 1
SUBLEVEL   = 0

# The default goal, whichever rule comes first below.
PHONY := _all
_all:

MAKEFLAGS += -rR --no-print-directory

ifndef KC_SUBMAKE
# First pass: find the output directory and go there.

srctree := $(patsubst %/,%,$(dir $(abspath $(lastword $(MAKEFILE_LIST)))))
objtree := $(abspath $(or $(O),$(srctree)))
ifneq ($(words $(MAKEFILE_LIST) $(CURDIR) $(or $(O),O) $(or $(EXTERNAL),E)),4)
$(error The paths of the source, O= and EXTERNAL= must not contain spaces)
endif
ifneq ($(findstring :,$(srctree)$(objtree)$(EXTERNAL)),)
$(error The paths of the source, O= and EXTERNAL= must not contain colons)
endif
ifneq ($(EXTERNAL),)
override EXTERNAL := $(abspath $(EXTERNAL))
endif

goals := $(filter-out _all,$(MAKECMDGOALS))
PHONY += $(goals) enter
_all $(goals): enter
	@:
enter:
	@mkdir -p $(objtree)
	@+KC_SUBMAKE=1 KC_START=$(CURDIR) srctree=$(srctree) objtree=$(objtree) \
		$(MAKE) -C $(objtree) -f $(srctree)/Makefile $(goals) \
		$(if $(EXTERNAL),EXTERNAL=$(EXTERNAL))
Makefile: ;

else
# Second pass: the current directory is $(objtree).

include $(srctree)/scripts/Kbuild.include

config-goals := menuconfig guiconfig nconfig oldconfig olddefconfig defconfig %_defconfig \
	savedefconfig tinyconfig allnoconfig allyesconfig randconfig listnewconfig %.config
# Goals that need neither a configuration nor a compiler.
plain-goals  := help clean mrproper lint check coverage demo tags uninstall
build-goals  := $(filter-out $(config-goals) $(plain-goals),$(or $(MAKECMDGOALS),_all))

include $(srctree)/scripts/Makefile.arch

KC_VERSION := $(VERSION).$(PATCHLEVEL).$(SUBLEVEL)
soname     := libkcoro.so.$(VERSION)
source-dirs := arch core stack reclaim sched backends
PYTHON3    ?= /usr/bin/python3
EXTERNAL_KCONFIG := $(if $(EXTERNAL),$(EXTERNAL)/Kconfig,scripts/Kconfig.none)
KCONF := $(PYTHON3) -B $(srctree)/scripts/kconfig/kconf.py

ifneq ($(and $(filter $(config-goals) clean mrproper,$(MAKECMDGOALS)),$(word 2,$(MAKECMDGOALS))),)
# A configuration goal among others: one after the other, in the order given.
PHONY += $(MAKECMDGOALS) in-order
$(MAKECMDGOALS): in-order
	@:
in-order:
	@+set -e; for goal in $(MAKECMDGOALS); do $(MAKE) -f $(srctree)/Makefile $$goal; done

else
exported := ARCH SRCARCH CROSS_COMPILE CC CXX AR LLVM EXTERNAL EXTERNAL_KCONFIG CC_VERSION_TEXT \
	KC_VERSION soname PYTHON3
export $(exported)

ifneq ($(filter $(config-goals),$(MAKECMDGOALS)),)
# One configuration goal.
$(filter-out %_defconfig %.config,$(MAKECMDGOALS)): FORCE
	@$(remember)
	@$(KCONF) $@
%_defconfig: FORCE
	@$(remember)
	@$(KCONF) load $(srctree)/configs/$@
%.config: FORCE
	@$(remember)
	@$(KCONF) merge $(firstword $(wildcard $(srctree)/configs/$@ $(if $(filter /%,$@),$@,$(KC_START)/$@)) $@)

else
# Build goals.

ifneq ($(build-goals),)
include include/config/auto.conf
-include include/config/auto.conf.cmd
include $(srctree)/scripts/Makefile.flags
endif

# auto.conf.cmd adds the Kconfig files, and FORCE when a variable they use has another value.
include/config/auto.conf: .config
	@$(remember)
	@$(KCONF) syncconfig
.config:
	@echo '  no .config yet: taking the defaults (make defconfig)'
	@$(KCONF) defconfig

_all: all
PHONY += all samples bench tests verify size size-diff size-baseline install
shared := $(if $(CONFIG_SHARED_LIB),libkcoro.so.$(KC_VERSION) $(soname) libkcoro.so)
all: libkcoro.a $(shared)
	@:

# The library: each directory that has objects leaves a list of them.
lib-dirs := $(patsubst $(srctree)/%/Makefile,%,$(wildcard $(foreach d,\
	$(source-dirs),$(srctree)/$d/Makefile)))
lists    := $(patsubst %,%/built-in.list,$(lib-dirs) $(if $(EXTERNAL),external))
PHONY    += $(lists:/built-in.list=-dir)
$(lists): %/built-in.list: %-dir ;
$(lib-dirs:=-dir): %-dir: FORCE
	@+$(call descend,$*,$(srctree)/$*,library)
external-dir: FORCE
	@+$(call descend,external,$(EXTERNAL),library)

quiet_cmd_ar = AR      $@
      cmd_ar = rm -f $@; $(AR) qcsD $@ $$(cat $(lists))
libkcoro.a: $(lists) FORCE
	$(call if_changed,ar)

quiet_cmd_so = LD      $@
      cmd_so = $(CC) $(kc-ldflags) $(kc-soflags) -o $@ $$(cat $(lists)) $(kc-libs) $(LDFLAGS)
libkcoro.so.$(KC_VERSION): $(lists) $(srctree)/scripts/kcoro.map FORCE
	$(call if_changed,so)

quiet_cmd_ln = LN      $@
      cmd_ln = ln -sf $< $@
$(soname): libkcoro.so.$(KC_VERSION) FORCE
	$(call if_changed,ln)
libkcoro.so: $(soname) FORCE
	$(call if_changed,ln)

targets := libkcoro.a $(shared)
-include $(wildcard $(foreach t,$(targets),$(call cmd-file,$t)))

# Programs.
samples bench tests: libkcoro.a
	@+$(call descend,$@,$(srctree)/$@,programs)

# Goals done by a script.
verify: tests samples
	$(Q)sh $(srctree)/scripts/verify.sh
size size-baseline size-diff: libkcoro.a
	$(Q)$(PYTHON3) -B $(srctree)/scripts/size.py $@ libkcoro.a
compile_commands.json: all FORCE
	$(Q)$(PYTHON3) -B $(srctree)/scripts/compile_commands.py
install: all
	@$(MAKE) -f $(srctree)/scripts/Makefile.install install
uninstall:
	@$(MAKE) -f $(srctree)/scripts/Makefile.install uninstall

# What runs its own makes starts from the caller's environment, not from this make's.
clean-env := env $(foreach v,$(exported),-u $v)
fresh-env := $(clean-env) -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u KC_SUBMAKE -u KC_START \
	     -u srctree -u objtree PYTHON3=$(PYTHON3) KCORO_O=$(objtree)

PHONY += check coverage demo lint tags help clean mrproper uninstall
check:
	$(Q)sh $(srctree)/scripts/need build test
	$(Q)cd $(srctree) && $(fresh-env) $(PYTHON3) -m pytest tests $(CHECK_ARGS)
coverage:
	$(Q)sh $(srctree)/scripts/need build test
	$(Q)cd $(srctree) && $(fresh-env) $(PYTHON3) tests/coverage.py
demo:
	$(Q)sh $(srctree)/scripts/need build bench
	$(Q)$(remember)
	$(Q)+$(clean-env) $(MAKE) -f $(srctree)/Makefile all samples bench
	$(Q)sh $(srctree)/scripts/demo.sh
lint:
	$(Q)$(PYTHON3) -B $(srctree)/scripts/lint.py $(srctree)
tags:
	$(Q)cd $(srctree) && ctags -f $(objtree)/tags -R $(source-dirs) include
help:
	@sh $(srctree)/scripts/help.sh

# Whatever was made by a rule has a file beside it that says so; nothing else is touched.
clean:
	$(Q)sh $(srctree)/scripts/clean.sh
mrproper: clean
	$(Q)sh $(srctree)/scripts/clean.sh all

endif # configuration or build goals
endif # several goals in order
endif # second pass

.PHONY: $(PHONY)
.DELETE_ON_ERROR:
