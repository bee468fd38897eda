# Makefile - builds the software device, the examples, the tests and the benches. `make` alone lists the targets.
#
# Programs here are compiled with the headers' declarations and linked with libxetile.a, whose bodies are compiled once;
# sources that need the bodies, for private names or to compile them in another way, contain `#undef XETILE_DECLARATIONS`.
# Outputs go to $(BUILD); rules for files come first, targets for users after them. User targets start a second make, so
# that `make setup test` on a bare system looks for compilers and libraries after setup has installed them, and builds with
# $(JOBS) jobs.

VERSION := $(shell sed -n 's/^.define XETILE_VERSION "\(.*\)".*/\1/p' src/linkage.h)
PREFIX ?= /usr/local
LIBDIR ?= lib
BUILD ?= build
$(if $(word 2,$(BUILD)),$(error BUILD is "$(BUILD)": make splits names at spaces, so choose a folder without one))
JOBS ?= 2
CFLAGS ?= -O2 -g$(if $(CI),1)
# Tests take longer to compile than to run, except under sanitizers; a debugger is for those at home.
TEST_CFLAGS ?= $(if $(SANITIZE),-O1,-O0) -g$(if $(CI),1)
# A command with the forms `$(XE_OFFLINE) isa DEVICE FILE OPTIONS`, for systems without ocloc in PATH, and
# `$(XE_OFFLINE) run spirv-val`, which is used unless SPIRV_VAL names another validator.
XE_OFFLINE ?= $(wildcard ../shared/tools/xe-offline)

# Warnings are errors if CI is set; elsewhere newer compilers may have new warnings.
WARNINGS = -Wall -Wextra -Wpedantic $(if $(CI),-Werror)
checks = $(WARNINGS) $(SANITIZE) -MMD -MP -I. -DXETILE_DECLARATIONS
ALL_CFLAGS = $(CFLAGS) $(checks)
LOADER_CFLAGS := $(shell pkg-config --cflags libze_loader 2>/dev/null)
LOADER_LIBS := $(shell pkg-config --libs libze_loader 2>/dev/null || echo -lze_loader)

headers = $(wildcard spirv_emit.h coopmatrix.h coopvec.h xetile.h ze_dispatch.h vk_dispatch.h)
# Programs are compiled for Vulkan, too, where its headers are, from the same sources: vulkan/ze_dispatch.h has the names.
have_vulkan := $(shell printf '\043include <vulkan/vulkan_core.h>\n' | $(CC) -x c -E - >/dev/null 2>&1 && echo yes)
MPICC ?= mpicc
mpi_examples = $(if $(shell command -v $(MPICC) 2>/dev/null),$(BUILD)/mpi_summa)
examples = $(filter-out $(BUILD)/mpi_% $(if $(have_vulkan),,$(BUILD)/hello_vulkan),$(patsubst examples/%.c,$(BUILD)/%,$(wildcard examples/*.c)))
vulkan_examples = $(if $(have_vulkan),$(patsubst $(BUILD)/%,$(BUILD)/vulkan/%,$(filter-out $(BUILD)/hello% $(BUILD)/layout $(BUILD)/gemm_devices $(BUILD)/mpi_summa,$(examples) $(mpi_examples))))
benches = $(patsubst bench/%.c,$(BUILD)/%,$(wildcard bench/bench_*.c))
unoptimised_benches = $(benches:$(BUILD)/%=$(BUILD)/unoptimised_%)
tests = $(patsubst %.c,$(BUILD)/%,$(notdir $(wildcard tests/*/test_*.c)))
soft_tests = $(patsubst soft/tests/%.c,$(BUILD)/%,$(wildcard soft/tests/test_*.c))
xe_tests = $(patsubst soft/xe/tests/%.c,$(BUILD)/%,$(wildcard soft/xe/tests/test_*.c))
test_scripts = $(wildcard tests/*/test_*.sh)
# From the bottom up: a room uses only those before it (tests/soft/test_rooms.sh).
soft_rooms = spirv ir passes c build run check xe ze
soft_objects = $(patsubst %.c,$(BUILD)/%.o,$(wildcard $(soft_rooms:%=soft/%/*.c))) $(BUILD)/soft/soft_text.o
soft_folders = $(BUILD)/vulkan $(BUILD)/soft $(soft_rooms:%=$(BUILD)/soft/%)
# Threads of programs may have small stacks; sanitizers put more on them.
soft_flags = -Isoft -std=gnu11 -fPIC -fvisibility=hidden $(if $(SANITIZE),,-Wframe-larger-than=8192)
# On RISC-V, atomics of bytes are functions of a library before gcc 13.
atomic_libs := $(if $(findstring riscv,$(shell $(CC) -dumpmachine 2>/dev/null)),-latomic)
soft_libs = -ldl -lpthread -lm $(atomic_libs)
library = $(BUILD)/libxetile.a
src_objects = $(patsubst %.c,$(BUILD)/%.o,$(wildcard src/*/*.c src/*/*/*.c))

help: ## list the targets
	@echo "xetile $(VERSION): make TARGET [VARIABLE=value]"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{ printf "  %-18s %s\n", $$1, $$2 }'
	@echo "Variables: CC CFLAGS BUILD JOBS PREFIX LIBDIR (below PREFIX: lib) DESTDIR; V=1 shows complete commands"

# ---- rules for files. `make V=1` shows complete commands.

compile = $(if $(V),,@echo "  cc $@" &&) $(CC)

$(BUILD) $(soft_folders):
	@mkdir -p $@

# Generated kernels are compiled with these texts as a prefix, so the library contains them.
$(BUILD)/soft_text.c: scripts/embed_text.awk soft/abi.h $(sort $(wildcard soft/c/prelude*.h)) | $(BUILD)
	@LC_ALL=C awk -f scripts/embed_text.awk $(filter %.h,$^) > $@.part && mv $@.part $@

$(BUILD)/soft/soft_text.o: $(BUILD)/soft_text.c | $(BUILD)/soft
	$(compile) $(soft_flags) $(ALL_CFLAGS) -c -o $@ $<

$(BUILD)/soft/%.o: soft/%.c | $(soft_folders)
	$(compile) $(soft_flags) $(ALL_CFLAGS) $(LOADER_CFLAGS) -c -o $@ $<

$(BUILD)/libze_soft.so: $(soft_objects)
	$(compile) $(SANITIZE) $(LDFLAGS) -shared -Wl,-soname,libze_soft.so -Wl,-z,nodelete $(if $(SANITIZE),,-Wl,-z,defs) -o $@ $^ $(soft_libs)

# The same object goes into the archive and into the shared library. Where CI is set, it is optimised less, which takes half the time:
# test_headers.sh compiles the bodies at -O2.
$(BUILD)/libxetile.o: src/libxetile.c | $(BUILD)
	$(compile) -std=c11 -fPIC $(ALL_CFLAGS) $(if $(CI),-O1) $(LOADER_CFLAGS) -c -o $@ $<

$(library): $(BUILD)/libxetile.o
	@rm -f $@ && $(AR) rcs $@ $<

# src/ is also a library of ordinary C files: two tests look at their objects.
$(src_objects): $(BUILD)/src/%.o: src/%.c
	@mkdir -p $(@D)
	$(compile) -std=c11 $(TEST_CFLAGS) $(checks) $(LOADER_CFLAGS) -c -o $@ $<

# Before 1.0 the second number distinguishes incompatible releases.
soname = libxetile.so.$(basename $(VERSION))
$(BUILD)/libxetile.so: $(BUILD)/libxetile.o
	$(compile) $(SANITIZE) $(LDFLAGS) -shared -Wl,-soname,$(soname) -Wl,-Bsymbolic-functions $(if $(SANITIZE),,-Wl,-z,defs) -o $@ $< -lm

$(examples): $(BUILD)/%: examples/%.c $(library) | $(BUILD)
	$(compile) -std=c11 $(ALL_CFLAGS) $(LOADER_CFLAGS) $(LDFLAGS) -o $@ $< $(library) -lm

# Without MPI this program is not built, and its test says so.
$(BUILD)/mpi_summa: examples/mpi_summa.c $(library) | $(BUILD)
	$(if $(V),,@echo "  mpicc $@" &&) OMPI_CC="$(CC)" $(MPICC) -std=c11 $(ALL_CFLAGS) $(LOADER_CFLAGS) $(LDFLAGS) -o $@ $< $(library) -lm

# The same for Vulkan; where CI is set, optimised less, since they are the same sources.
$(filter-out %/mpi_summa,$(vulkan_examples)): $(BUILD)/vulkan/%: examples/%.c $(library) | $(BUILD)/vulkan
	$(compile) -std=c11 -Ivulkan $(ALL_CFLAGS) $(if $(CI),-O1) $(LDFLAGS) -o $@ $< $(library) -lm

$(BUILD)/vulkan/mpi_summa: examples/mpi_summa.c $(library) | $(BUILD)/vulkan
	$(if $(V),,@echo "  mpicc $@" &&) OMPI_CC="$(CC)" $(MPICC) -std=c11 -Ivulkan $(ALL_CFLAGS) $(LDFLAGS) -o $@ $< $(library) -lm

vpath test_%.c $(sort $(dir $(wildcard tests/*/test_*.c)))
$(tests): $(BUILD)/%: %.c $(library) | $(BUILD)
	$(compile) -std=c11 $(TEST_CFLAGS) $(checks) $(LOADER_CFLAGS) -Itests $(LDFLAGS) -o $@ $< $(library) $(LOADER_LIBS) -lpthread -ldl -lm

# ze_dispatch.h finds the functions of the program itself before the loader's: those of tests/pretend_ze.h.
$(BUILD)/test_dispatch_args $(BUILD)/test_dispatch_calls $(BUILD)/test_dispatch_targets $(BUILD)/test_memory: private LDFLAGS += -rdynamic

# Benchmarks are optimised. `make test` only checks that they build, which takes a quarter of the time at -O0.
build_bench = $(compile) -std=c11 $(1) $(checks) $(LOADER_CFLAGS) $(bench_flags) $(LDFLAGS) -o $@ $< $(library) $(LOADER_LIBS) $(bench_libs) -lpthread -ldl -lm
$(benches): $(BUILD)/%: bench/%.c $(library) | $(BUILD)
	$(call build_bench,$(CFLAGS))

$(unoptimised_benches): $(BUILD)/unoptimised_%: bench/%.c $(library) | $(BUILD)
	$(call build_bench,-O0)

$(BUILD)/report: bench/report.c | $(BUILD)
	$(compile) -std=c11 $(ALL_CFLAGS) $(LDFLAGS) -o $@ $< -lm

# The reference functions in these tests need wrapping integers and signed char, as in OpenCL C.
$(BUILD)/test_opencl_flow $(BUILD)/test_opencl_memory: private checks += -fwrapv -fsigned-char

# Nothing that the headers do depends on what this lets the compiler assume.
$(BUILD)/test_fast_math: private checks += -O2 -ffast-math

emit_benches = $(BUILD)/bench_emit $(BUILD)/unoptimised_bench_emit
$(emit_benches): private LDFLAGS += -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc

# SPIRV-Tools as a library, if one can be linked: bench_emit's peer. Debian's is C++ and static.
spirv_tools_libs = $(shell pkg-config --libs SPIRV-Tools 2>/dev/null) -lstdc++
have_spirv_tools = $(shell printf '\043include <spirv-tools/libspirv.h>\nint main(void) { spvContextDestroy(spvContextCreate(SPV_ENV_OPENCL_2_2)); }\n' | \
    $(CC) -x c - -o /dev/null $(spirv_tools_libs) -lm 2>/dev/null && echo yes)
$(emit_benches): bench_flags = $(if $(have_spirv_tools),-DBENCH_SPIRV_TOOLS)
$(emit_benches): bench_libs = $(if $(have_spirv_tools),$(spirv_tools_libs))

# Tests of the software device's internals are linked with its objects.
$(soft_tests): $(BUILD)/%: soft/tests/%.c $(soft_objects) $(library)
	$(compile) -std=gnu11 $(TEST_CFLAGS) $(checks) $(LOADER_CFLAGS) -Isoft -Itests $(LDFLAGS) -o $@ $< $(soft_objects) $(library) $(LOADER_LIBS) $(soft_libs)

# These include the helpers of kernels, which the device always compiles with optimisation and -Wno-psabi.
$(BUILD)/test_soft_matrix $(BUILD)/test_soft_tiles: private checks += -O1 -Wno-psabi

$(xe_tests): $(BUILD)/%: soft/xe/tests/%.c $(soft_objects)
	$(compile) -std=gnu11 $(TEST_CFLAGS) $(checks) $(LOADER_CFLAGS) -Isoft -Itests $(LDFLAGS) -o $@ $< $(soft_objects) $(LOADER_LIBS) $(soft_libs)

# The generated seeds of the fuzzers, which need clang: scripts/fuzz.sh calls these with the flags they need.
$(BUILD)/fuzz_seeds: soft/tests/fuzz_seeds.c $(soft_objects) $(library)
	$(compile) -std=gnu11 $(TEST_CFLAGS) $(checks) -Isoft $(LDFLAGS) -o $@ $< $(soft_objects) $(library) $(LOADER_LIBS) $(soft_libs)

$(BUILD)/fuzz_spirv $(BUILD)/fuzz_link: $(BUILD)/%: soft/tests/%.c $(soft_objects)
	$(compile) -std=gnu11 -O1 -g $(checks) -fsanitize=fuzzer -Isoft $(LDFLAGS) -o $@ $< $(soft_objects) $(soft_libs)

-include $(wildcard $(BUILD)/*.d $(BUILD)/vulkan/*.d $(BUILD)/soft/*.d $(BUILD)/soft/*/*.d $(BUILD)/src/*/*.d $(BUILD)/src/*/*/*.d)

# ---- targets for users

to = $(DESTDIR)$(PREFIX)
again = +@$(MAKE) --no-print-directory -j$(JOBS)

setup: ## say which packages are missing, and install them with apt; on other systems, only say it. SHOW=1 installs nothing
	@CC="$(CC)" scripts/setup.sh $(if $(WITH_OPTIONAL),--optional) $(if $(SHOW),--show)

setup-optional: ## the same, with packages that only some tests and benches use
	@CC="$(CC)" scripts/setup.sh --optional $(if $(SHOW),--show)

run: ## build and run the examples: f16 GEMM, aligned and not, each verified
	$(again) soft $(BUILD)/hello $(BUILD)/gemm
	$(BUILD)/hello
	$(BUILD)/gemm --m 1024 --n 1024 --k 1024 --type f16
	$(BUILD)/gemm --m 1000 --n 777 --k 555 --type f16

run_tests = BUILT=$$built JOBS="$(JOBS)" BUILD="$(BUILD)" CC="$(CC)" SPIRV_VAL="$(SPIRV_VAL)" XE_OFFLINE="$(XE_OFFLINE)" SANITIZE="$(SANITIZE)" tests/run.sh

test: ## build and run every test; the last line sums them up
	+@tests/opencl/build.sh "$(BUILD)/opencl" 2>/dev/null || true; \
	built=yes; $(MAKE) --no-print-directory -j$(JOBS) -k build-all || built=no; \
	$(run_tests) $(sort $(notdir $(tests) $(soft_tests) $(xe_tests))) $(sort $(notdir $(test_scripts)))

test-thorough: ## the same, with every combination that large tests take a sample of (THOROUGH=1): three times as long
	$(again) test THOROUGH=1

quick = $(shell cat tests/quick.txt)
check: ## build and run a selection of the tests (tests/quick.txt): at most 90 s on two cores
	+@built=yes; $(MAKE) --no-print-directory -j$(JOBS) -k $(library) soft $(BUILD)/hello $(BUILD)/gemm $(addprefix $(BUILD)/,$(filter-out %.sh,$(quick))) || built=no; \
	$(run_tests) $(quick)

intel_examples = $(addprefix $(BUILD)/,gemm batched_gemm gemm_devices tall_gemm gemm_slm gemm_l2 gemm_epilogue gemm_transpose gemm_variants mlp_inference neural_texture)

bench: ## run the benchmarks: prints `bench NAME VALUE UNIT [peer=... peer_value=... ratio=...]`, writes bench/report.html
	$(again) soft build-benches $(intel_examples) $(BUILD)/gemm_devices $(mpi_examples)
	@BUILD="$(BUILD)" CC="$(CC)" XE_OFFLINE="$(XE_OFFLINE)" bench/run.sh $(sort $(notdir $(benches)))

bench-peers: ## the README's comparisons with TinyTC, PoCL, OpenBLAS and oneDNN, as far as these are installed
	$(again) soft $(BUILD)/bench_emit $(BUILD)/bench_opencl $(BUILD)/bench_gemm
	for run in 1 2 3; do $(BUILD)/bench_emit || exit 1; done
	$(BUILD)/bench_opencl
	XETILE_SOFT_ISA=avx512 ONEDNN_MAX_CPU_ISA=AVX512_CORE_BF16 BENCH_SECONDS=$(or $(BENCH_SECONDS),120) $(BUILD)/bench_gemm

check-intel: ## compile the examples with Intel's compiler, if it is installed, and execute the machine code
	$(again) soft examples $(filter $(BUILD)/test_xetile% $(BUILD)/test_coop% $(BUILD)/test_intel%,$(tests))
	@BUILD="$(BUILD)" XE_OFFLINE="$(XE_OFFLINE)" scripts/check_intel.sh
	@CC="$(CC)" XE_OFFLINE="$(XE_OFFLINE)" scripts/check_intel_ops.sh --all
	@BUILD="$(BUILD)" XE_OFFLINE="$(XE_OFFLINE)" CC="$(CC)" INTEL_ALL=yes sh tests/intel/test_intel_coopmatrix.sh
	@BUILD="$(BUILD)" XE_OFFLINE="$(XE_OFFLINE)" JOBS="$(JOBS)" scripts/check_machine.sh

check-intel-shapes: ## compile 37 other products and a decoder's with Intel's compiler: count instructions, spills, messages per dpas (10 min)
	@CC="$(CC)" XE_OFFLINE="$(XE_OFFLINE)" scripts/check_intel_shapes.sh

soft: $(BUILD)/libze_soft.so ## build only the software Level Zero device

examples: $(examples) $(mpi_examples) $(vulkan_examples) ## build only the examples

asan: ## run the tests with the address and undefined-behaviour sanitizers
	$(again) test BUILD=$(BUILD)/asan SANITIZE="-fsanitize=address,undefined -fno-sanitize-recover=undefined"

ubsan: ## run the tests with the undefined-behaviour sanitizer only, in half the time
	$(again) test BUILD=$(BUILD)/ubsan SANITIZE="-fsanitize=undefined -fno-sanitize-recover=undefined"

tsan: ## run the tests with the thread sanitizer
	TSAN_OPTIONS="halt_on_error=0 exitcode=66 $(TSAN_OPTIONS)" $(MAKE) --no-print-directory test BUILD=$(BUILD)/tsan SANITIZE="-fsanitize=thread"

fuzz: ## fuzz the SPIR-V reader and the code generator, then the linker, for FUZZ_SECONDS (900) in all
	@BUILD="$(BUILD)" JOBS="$(JOBS)" MAKE="$(MAKE)" scripts/fuzz.sh

soak: ## use the software device for SOAK_ROUNDS (10000) rounds: detects leaks; ten processes share a cache
	$(again) soft $(BUILD)/test_soft_soak
	XETILE_SOFT="$(BUILD)/libze_soft.so" SOAK_ROUNDS="$(or $(SOAK_ROUNDS),10000)" $(BUILD)/test_soft_soak

clean: ## remove $(BUILD)
	rm -rf "$(BUILD)"

install: $(library) $(BUILD)/libxetile.so $(BUILD)/libze_soft.so ## install headers, libraries and xetile.pc in $(DESTDIR)$(PREFIX)
	$(if $(filter /%,$(firstword $(PREFIX))),,$(error PREFIX is "$(PREFIX)": xetile.pc needs an absolute path))
	mkdir -p "$(to)/include/xetile" "$(to)/$(LIBDIR)/pkgconfig"
	cp $(headers) "$(to)/include/xetile/"
	mkdir -p "$(to)/include/xetile/vulkan" && cp vulkan/ze_dispatch.h "$(to)/include/xetile/vulkan/"
	cp $(library) $(BUILD)/libze_soft.so "$(to)/$(LIBDIR)/"
	cp $(BUILD)/libxetile.so "$(to)/$(LIBDIR)/libxetile.so.$(VERSION)"
	ln -sf libxetile.so.$(VERSION) "$(to)/$(LIBDIR)/$(soname)"
	ln -sf $(soname) "$(to)/$(LIBDIR)/libxetile.so"
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@VERSION@|$(VERSION)|' scripts/xetile.pc.in > "$(to)/$(LIBDIR)/pkgconfig/xetile.pc"
	@$(if $(DESTDIR),:,scripts/ldconfig.sh "$(PREFIX)/$(LIBDIR)")

uninstall: ## remove the installed files
	rm -f $(patsubst %,"$(to)/include/xetile/%",$(headers) vulkan/ze_dispatch.h)
	rm -f $(patsubst %,"$(to)/$(LIBDIR)/%",libxetile.a libxetile.so $(soname) libxetile.so.$(VERSION) libze_soft.so pkgconfig/xetile.pc)
	rmdir "$(to)/include/xetile/vulkan" "$(to)/include/xetile" 2>/dev/null || true
	@$(if $(DESTDIR),:,scripts/ldconfig.sh "$(PREFIX)/$(LIBDIR)")

build-benches: $(benches) $(BUILD)/report
# The library first: nothing is linked before its one large file is compiled.
build-all: $(library) $(BUILD)/libze_soft.so $(examples) $(mpi_examples) $(vulkan_examples) $(unoptimised_benches) $(BUILD)/report $(tests) $(soft_tests) $(xe_tests) $(src_objects)

.PHONY: help setup setup-optional run test test-thorough check bench bench-peers check-intel check-intel-shapes soft examples asan ubsan tsan fuzz soak clean install uninstall build-all build-benches
.DELETE_ON_ERROR:
# Goals given together run in order: `make -j setup test` must not test before setup is done.
ifneq ($(filter setup% clean,$(MAKECMDGOALS)),)
.NOTPARALLEL:
endif
