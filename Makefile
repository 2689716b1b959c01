# gpa: `make` builds what this machine can, `make run` and `make test` do everything from a fresh clone.
# `make help` lists the targets.
default: all

# Knobs, for the command line or a file config.mak:
#   MODE     release | debug | asan | stress (asan with random cuts and flushes) | tsan | cov | tuning (make tuning)
#   V        1 shows whole commands
#   WERROR   0 lets warnings pass
#   JOBS     number of tests that run at the same time
#   RANKS    number of processes of `make test-ranks`
#   PART     K/N: `make test`, `make test-ranks` and `make test-gpu` run the K-th of N shares of the tests
#   FEATURES sse, avx2 or avx512: NumPy, OpenBLAS and glibc in the tests as on a processor with no more than that
#   READLINE 0 builds the program without readline, the one library under the GPL: lines are read plainly
MODE    ?= release
WERROR  ?= 1
READLINE ?= 1
JOBS    ?= $(shell nproc 2>/dev/null || echo 2)
PREFIX  ?= /usr/local
VERSION ?= 0.1.0
-include config.mak

WARN      = -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wconversion -Wvla \
            $(if $(filter 1,$(WERROR)),-Werror)
F_release = -O2 -g
F_debug   = -Og -g -DGPA_CHECK
F_asan    = -O1 -g -DGPA_CHECK -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
F_tsan    = -O1 -g -DGPA_CHECK -fsanitize=thread -fno-omit-frame-pointer
F_stress  = $(F_asan) -DGPA_STRESS
F_tuning  = -O2 -DGPA_TUNING -w
F_cov     = -O0 -g --coverage
F_fuzz    = -O1 -g -DGPA_CHECK -DGPA_LIBFUZZER -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=all
CFLAGS    = $(F_$(MODE))

# ---- nothing below needs changing ------------------------------------------------------------------------------

ifeq ($(F_$(MODE)),)
  $(error MODE is release, debug, asan, stress, tsan, cov or tuning)
endif
B   := build/$(MODE)
ALL = -std=c11 $(if $(TUNED),-I$(TUNED)) -D_GNU_SOURCE -DGPA_VERSION='"$(VERSION)"' $(WARN) -ffp-contract=off -I. $(CFLAGS) -MMD -MP
src = $(sort $(wildcard $(1)))
obj = $(patsubst %.c,$(B)/%.o,$(call src,$(1)))
comma := ,
say = $(if $(V),,@printf '  %-5s %s\n' $(1) $@;)

# Ends a recipe that has written $@.new: the target changes only where its content does.
update = if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

# What is there: HAVE_*, *_CFLAGS and *_LIBS, found once for a compiler by .make/probe.sh and kept until that or
# `make deps` changes something.
CONFIG := build/config-$(notdir $(firstword $(CC))).mk
ifneq ($(filter-out help deps run check test test-features test-gpu test-ranks cov bench bench-numerics bench-gpu bench-gradients bench-programs tuning tuning-kit layers format format-check fuzz soak clean,$(or $(MAKECMDGOALS),all)),)
  include $(CONFIG)
endif
ifeq ($(READLINE),0)
  READLINE_CFLAGS :=
  READLINE_LIBS   :=
endif
$(CONFIG): .make/probe.sh
	@mkdir -p build && CC='$(CC)' .make/probe.sh > $@.new && mv $@.new $@

# The rooms, in layering order (tests/layers.txt).
RUNTIME_ROOMS = base tables ir graph plan host exec array lib ref
LANG_ROOMS    = text syntax object compile vm format builtin python numpy typed session library
CPU_ROOMS     = parallel emit linalg fft sort run
CUDA_ROOMS    = driver emit build lib
in = $(foreach room,$(2),$(1)/$(room)/*.c)
RUNTIME := $(call obj,$(call in,runtime,$(RUNTIME_ROOMS)))
CORE   := $(call obj,$(call in,lang,$(LANG_ROOMS))) $(RUNTIME) $(B)/library.o $(B)/magic_rows.o
REPL   := $(filter-out $(if $(READLINE_LIBS),,%/repl/menu.o),$(call obj,repl/*.c))
KERNEL := $(call obj,kernel/*.c)
CPU    := $(call obj,runtime/cpu/*.c $(call in,runtime/cpu,$(CPU_ROOMS))) $(B)/runtime/cpu/abi_hash.o
CUDA   := $(call obj,runtime/cuda/*.c $(call in,runtime/cuda,$(CUDA_ROOMS))) $(B)/runtime/cuda/abi_hash.o $(addprefix $(B)/runtime/cuda/,batched_source.o attention_source.o)
RANKS  := $(call obj,runtime/ranks/*.c) $(B)/runtime/ranks/abi_hash.o
# The tuning constants of a build that measures them are variables.
TUNING := $(if $(filter tuning,$(MODE)),$(B)/tests/bench/tuning.o)
CORE   += $(TUNING)
CPU    += $(TUNING)
CUDA   += $(TUNING)
INTERPRETERS := $(addprefix $(B)/gpa-interpreter.sm_,8 9 10)
BUILT  := $(if $(REPL),$(B)/gpa) \
          $(if $(and $(KERNEL),$(HAVE_ZMQ),$(HAVE_JANSSON)),$(B)/gpa-kernel) \
          $(if $(and $(CPU),$(HAVE_LLVM)),$(B)/gpa-cpu.so) \
          $(if $(CUDA),$(B)/gpa-cuda.so) \
          $(if $(and $(CPU),$(HAVE_LLVM)),$(B)/gpa-ranks.so) \
          $(if $(HAVE_NVCC),$(B)/gpa-cub.so $(INTERPRETERS))
UNIT   := $(if $(HAVE_CMOCKA),$(patsubst %.c,$(B)/%,$(call src,tests/unit/test_*.c)))
FUZZED := $(filter-out $(if $(filter %/gpa-kernel,$(BUILT)),,%/fuzz_wire.c),$(call src,tests/fuzz/*.c))
FUZZ   := $(if $(REPL),$(FUZZED:%.c=$(B)/%))
TOOLS  := $(if $(REPL),$(patsubst %.c,$(B)/%,$(call src,tests/tools/*.c)))

all: $(BUILT)                           ## build what this machine can
	@true$(foreach m,$(LEFT_OUT),; echo '  left out: $(subst _, ,$(m))')

# An executable exports the core functions that a plugin calls, and looks for bundled libraries in its own folder.
EXE  = -Wl,--dynamic-list=runtime/plugin.sym -Wl,--disable-new-dtags,-rpath,'$$ORIGIN/../lib/gpa'
LIBS = $(ZIP_LIBS) $(ZLIB_LIBS) $(PCRE2_LIBS) -ldl -lm -lpthread

$(B)/gpa: $(REPL) $(CORE) runtime/plugin.sym
	$(call say,LD)$(CC) $(CFLAGS) $(LDFLAGS) $(EXE) -o $@ $(REPL) $(CORE) $(READLINE_LIBS) $(LIBS)
$(B)/gpa-kernel: $(KERNEL) $(CORE) runtime/plugin.sym
	$(call say,LD)$(CC) $(CFLAGS) $(LDFLAGS) $(EXE) -o $@ $(KERNEL) $(CORE) $(ZMQ_LIBS) $(JANSSON_LIBS) $(LIBS)

# Plugins: loaded by the executable at first need; they link what the core must not (start-up time).
SO = -shared -Wl,--disable-new-dtags,-rpath,'$$ORIGIN'
$(B)/gpa-cpu.so: $(CPU)
	$(call say,SO)$(CC) $(CFLAGS) $(LDFLAGS) $(SO) -o $@ $^ $(LLVM_LIBS) -ldl -lm
# The same with LLVM inside, for archives: a third of the size of LLVM's shared library.
$(B)/static/gpa-cpu.so: $(CPU)
	@mkdir -p $(@D)
	$(call say,SO)$(CC) $(CFLAGS) $(LDFLAGS) $(SO) -o $@ $^ $(LLVM_STATIC_LIBS)
$(B)/gpa-cuda.so: $(CUDA)
	$(call say,SO)$(CC) $(CFLAGS) $(LDFLAGS) $(SO) -o $@ $^ -ldl -lm
$(B)/gpa-ranks.so: $(RANKS)
	$(call say,SO)$(CC) $(CFLAGS) $(LDFLAGS) $(SO) -o $@ $^ -ldl
# What nvcc compiles: machine code for the GPUs of data centres, and code that the driver translates for all from 7.5 on.
GPUS = -gencode arch=compute_75,code=compute_75 -gencode arch=compute_90,code=sm_90
$(B)/runtime/cuda/cub.o: runtime/cuda/lib/cub.cu runtime/cuda/lib/cub.h $(CONFIG)
	@mkdir -p $(@D)
	$(call say,NVCC)$(NVCC) -O3 -std=c++17 -I. $(GPUS) -Xcompiler -fPIC,-fvisibility=hidden,-Wall,-Wextra$(if $(filter 1,$(WERROR)),$(comma)-Werror) -c -o $@ $<
$(B)/gpa-cub.so: $(B)/runtime/cuda/cub.o $(TUNING)
	$(call say,SO)$(lastword $(NVCC)) -shared -cudart static -Xcompiler -static-libstdc++,-static-libgcc -o $@ $^
# What runs programs that are not compiled yet: machine code for each generation of GPUs (.make/interpreter.c).
$(B)/interpreter: .make/interpreter.c $(CUDA) $(RUNTIME) $(B)/core.a
	$(call say,LD)$(CC) $(ALL) $(LDFLAGS) -o $@ $< $(filter-out %/cuda/abi_hash.o,$(CUDA)) $(RUNTIME) $(B)/core.a $(LIBS)
$(B)/interpreter.cu: $(B)/interpreter
	@ASAN_OPTIONS=detect_leaks=0 $< > $@.new && $(update)
$(B)/gpa-interpreter.sm_%: $(B)/interpreter.cu
	$(call say,NVRTC)ASAN_OPTIONS=detect_leaks=0 $(B)/interpreter $*0 $@
$(B)/runtime/cpu/%.o:  EXTRA = -fPIC -fvisibility=hidden $(LLVM_CFLAGS)
$(B)/runtime/cpu/linalg/batched_eigen.o: EXTRA += -fno-math-errno
$(B)/runtime/cuda/%.o: EXTRA = -fPIC -fvisibility=hidden
$(B)/runtime/ranks/%.o: EXTRA = -fPIC -fvisibility=hidden
$(B)/tests/bench/%.o:  EXTRA = -fPIC -fvisibility=hidden
$(B)/repl/%.o:         EXTRA = $(READLINE_CFLAGS)
$(REPL): $(B)/readline-$(READLINE)
$(B)/readline-$(READLINE):
	@mkdir -p $(@D) && rm -f $(B)/readline-* && touch $@
$(B)/kernel/%.o:       EXTRA = $(ZMQ_CFLAGS) $(JANSSON_CFLAGS)
$(B)/lang/%.o $(B)/runtime/%.o: EXTRA = $(ZIP_CFLAGS) $(ZLIB_CFLAGS) $(PCRE2_CFLAGS) $(PNG_CFLAGS)
$(B)/tests/%.o:        EXTRA = $(CMOCKA_CFLAGS)

# The compiler and its flags: objects are compiled again where these have changed, not whenever the Makefile has.
FLAGS := $(B)/flags
$(FLAGS): FORCE
	@mkdir -p $(@D) && { printf '%s\n' '$(subst ','\'',$(CC) $(ALL))'; grep EXTRA Makefile; } > $@.new && $(update)
FORCE:

# A plugin holds the hash of the tables it was built with.
$(B)/runtime/cpu/abi_hash.o $(B)/runtime/cuda/abi_hash.o $(B)/runtime/ranks/abi_hash.o: runtime/exec/abi_hash.c $(FLAGS)
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(ALL) $(EXTRA) -c -o $@ $<

$(B)/%.o: %.c $(FLAGS) $(CONFIG)
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(ALL) $(EXTRA) -c -o $@ $<

# lang/library/ becomes a table of texts (declared in lang/vm/library.h), so that the program is one file.
$(B)/library.c: $(shell find lang/library -name '*.gpa' | LC_ALL=C sort) .make/library.sh
	@mkdir -p $(@D) && .make/library.sh > $@
$(B)/library.o: $(B)/library.c $(FLAGS)
	$(call say,CC)$(CC) $(ALL) -c -o $@ $<

# What Python's side of the bridge runs is part of the program.
$(B)/lang/python/host.o: $(wildcard lang/python/*.py)

# The magics: the rows MAGIC(...) and MAGIC_ROW(...) of lang/session/, in one table (declared in lang/session/magic.h).
$(B)/magic_rows.c: $(call src,lang/session/magic_*.c) Makefile
	@mkdir -p $(@D) && { echo '#include "lang/session/magic.h"'; \
	   cat $(filter %.c,$^) | sed -En 's/^MAGIC(_ROW)?\((\w+),.*/\2/p' | LC_ALL=C sort | \
	   awk '{ d = d "extern const magic magic_row_" $$1 ";\n"; r = r "    &magic_row_" $$1 ",\n" } \
	        END { print d "const magic *const magic_rows[] = {\n" r "    0};" }'; } > $@.new && $(update)
$(B)/magic_rows.o: $(B)/magic_rows.c $(FLAGS)
	$(call say,CC)$(CC) $(ALL) -c -o $@ $<

# What the CUDA device compiles at run time becomes a string.
TEXT_BYTES = od -An -v -to1 | sed 's/ *\([0-7][0-7]*\)/ 0\1,/g'
$(B)/runtime/cuda/batched_source.c: runtime/cuda/lib/elements.cuh runtime/cuda/lib/warp_matrix.cuh runtime/cuda/lib/block_matrix.cuh
	@mkdir -p $(@D)
	@{ echo '#include "runtime/cuda/lib/batched_source.h"'; echo 'const char batched_source[] = {'; cat $^ | $(TEXT_BYTES); echo '0};'; } > $@
$(B)/runtime/cuda/attention_source.c: runtime/cuda/lib/tensor_core.cuh runtime/cuda/lib/attention.cuh runtime/cuda/lib/attention_sm90.cuh
	@mkdir -p $(@D)
	@{ echo '#include "runtime/cuda/lib/attention_source.h"'; echo 'const char attention_source[] = {'; cat runtime/cuda/lib/tensor_core.cuh runtime/cuda/lib/attention.cuh | $(TEXT_BYTES); echo '0};'; \
	   echo 'const char attention_sm90_source[] = {'; cat runtime/cuda/lib/tensor_core.cuh runtime/cuda/lib/attention_sm90.cuh | $(TEXT_BYTES); echo '0};'; } > $@
$(B)/runtime/cuda/batched_source.o $(B)/runtime/cuda/attention_source.o: %.o: %.c $(FLAGS)
	$(call say,CC)$(CC) $(ALL) -fPIC -fvisibility=hidden -c -o $@ $<

# Test programs: one executable per tests/unit/test_*.c and tests/tools/*.c, each with the runtime, where plugins find what
# they call, and what it needs of the rest of the core.
$(B)/tests/%: $(B)/tests/%.o $(RUNTIME) $(B)/core.a runtime/plugin.sym
	$(call say,LD)$(CC) $(CFLAGS) $(LDFLAGS) $(EXE) -o $@ $< $(RUNTIME) $(B)/core.a $(CMOCKA_LIBS) $(LIBS)
# The sources that the CUDA device generates, and its transfers, are looked at without one.
$(addprefix $(B)/tests/unit/,test_cuda_constants test_cuda_emit test_cuda_transfer): LDFLAGS += $(filter-out %/cuda/abi_hash.o,$(CUDA))
$(addprefix $(B)/tests/unit/,test_cuda_constants test_cuda_emit test_cuda_transfer): $(CUDA)
# Code for several processors is called for each.
$(B)/tests/unit/test_sort_short: LDFLAGS += $(addprefix $(B)/runtime/cpu/,sort/sort_short.o parallel/lanes.o)
$(B)/tests/unit/test_sort_short: $(addprefix $(B)/runtime/cpu/,sort/sort_short.o parallel/lanes.o)
$(B)/tests/unit/test_radix: LDFLAGS += $(addprefix $(B)/runtime/cpu/fft/,mixed_radix.o bluestein.o)
$(B)/tests/unit/test_radix: $(addprefix $(B)/runtime/cpu/fft/,mixed_radix.o bluestein.o)
$(B)/tests/unit/test_ranks: LDFLAGS += $(addprefix $(B)/runtime/ranks/,region.o placement.o sort_share.o)
$(B)/tests/unit/test_ranks: $(addprefix $(B)/runtime/ranks/,region.o placement.o sort_share.o)
# Messages are decoded by the kernel.
WIRE := $(addprefix $(B)/kernel/,wire.o json.o sha256.o)
$(B)/tests/fuzz/fuzz_wire build/fuzz/fuzz_wire: LDFLAGS += $(WIRE) $(ZMQ_LIBS) $(JANSSON_LIBS)
$(B)/tests/fuzz/fuzz_wire build/fuzz/fuzz_wire: $(WIRE)
$(B)/tests/fuzz/fuzz_wire.o: EXTRA = $(CMOCKA_CFLAGS) $(ZMQ_CFLAGS) $(JANSSON_CFLAGS)
# Stand-ins for NVIDIA's driver and compiler: what the host does around a GPU is tested without one (tests/shell/gpu_stub.sh).
STUBS := $(B)/tests/stub/lib64/libcuda.so.1 $(B)/tests/stub/lib64/libnvrtc.so.13
$(B)/tests/stub/lib64/libcuda.so.1: $(call src,tests/stub/*) runtime/cuda/driver/api.h
	@mkdir -p $(@D)
	$(call say,SO)$(CC) -O1 -g -std=gnu2x -D_GNU_SOURCE -I. -fPIC -shared -o $@ tests/stub/cuda.c tests/stub/order.c tests/stub/rows.c
$(B)/tests/stub/lib64/libnvrtc.so.13: $(call src,tests/stub/*) runtime/cuda/driver/api.h
	@mkdir -p $(@D)
	$(call say,SO)$(CC) -O1 -g -std=gnu2x -D_GNU_SOURCE -DSTUB_NVRTC -I. -fPIC -shared -o $@ tests/stub/nvrtc.c tests/stub/rows.c
# The driver alone, for tests of what the real compiler gets.
FAKE  := $(B)/tests/fake/libcuda.so.1
$(FAKE): $(B)/tests/stub/lib64/libcuda.so.1
	@mkdir -p $(@D) && cp $< $@
# A driver and a compiler that run what the device generates on the processor, by g++ (tests/README.md): device.h, compiled
# beforehand, stands in front of each program.
CXX_HERE := $(shell command -v g++)
EMULATOR := $(if $(CXX_HERE),$(addprefix $(B)/tests/emulator/,lib64/libcuda.so.1 lib64/libnvrtc.so.13 device.h.gch interpreter blas/libcublas.so.13 blas/libcusparse.so.12))
# Empty files where the CUDA libraries would be: those of a toolkit would not work with this driver.
EMULATED_NOT := $(foreach l,cublas cufft cusolver cusparse,$(addprefix lib$(l).so.,10 11 12 13))
E_FLAGS  := -std=c++17 -O1 -w -ffp-contract=off -fwrapv -fno-strict-aliasing -fPIC -I$(CURDIR)
E_STAMP  := $(B)/tests/emulator/flags
$(E_STAMP): FORCE
	@mkdir -p $(@D) && echo '$(E_FLAGS)' > $@.new && $(update)
$(B)/tests/emulator/device.h.gch: tests/emulator/device.h tests/emulator/emulator.h $(E_STAMP)
	@mkdir -p $(@D)
	$(call say,CXX)g++ $(E_FLAGS) -x c++-header -o $@ $< && rm -rf $(@D)/cache
$(B)/tests/emulator/lib64/libcuda.so.1: $(call src,tests/stub/* tests/emulator/*) runtime/cuda/driver/api.h
	@mkdir -p $(@D)
	$(call say,SO)$(CC) -O2 -g -std=gnu2x -D_GNU_SOURCE $(WARN) -I. -fPIC -shared -o $@ tests/emulator/launch.c tests/stub/cuda.c tests/stub/order.c tests/stub/rows.c
	@cd $(@D) && touch $(EMULATED_NOT)
$(B)/tests/emulator/lib64/libnvrtc.so.13: $(call src,tests/stub/* tests/emulator/*) runtime/cuda/driver/api.h $(E_STAMP)
	@mkdir -p $(@D)
	$(call say,SO)$(CC) -O1 -g -std=gnu2x -D_GNU_SOURCE -DSTUB_NVRTC -DEMULATOR_HEADER='"$(abspath $(B))/tests/emulator/device.h"' \
	    -DEMULATOR_FLAGS='$(foreach f,$(E_FLAGS),"$(f)",)' -I. -fPIC -shared -o $@ tests/emulator/nvrtc.c tests/stub/rows.c
$(B)/tests/emulator/interpreter: $(B)/interpreter.cu $(addprefix $(B)/tests/emulator/,lib64/libcuda.so.1 lib64/libnvrtc.so.13 device.h.gch)
	$(call say,CXX)ASAN_OPTIONS=detect_leaks=0 CUDA_PATH=$(@D) LD_LIBRARY_PATH=$(@D)/lib64 GPA_CACHE_DIR=$(@D)/cache $(B)/interpreter 90 $@
# In a folder of their own: for the tests that want them.
$(B)/tests/emulator/blas/libcublas.so.13: $(call src,tests/stub/* tests/emulator/*) runtime/cuda/driver/api.h
	@mkdir -p $(@D)
	$(call say,SO)$(CC) -O2 -g -std=gnu2x -D_GNU_SOURCE -DSTUB_CUBLAS -I. -fPIC -shared -o $@ tests/emulator/cublas.c tests/stub/rows.c
$(B)/tests/emulator/blas/libcusparse.so.12: tests/emulator/cusparse.c tests/stub/stub.h runtime/cuda/driver/api.h
	@mkdir -p $(@D)
	$(call say,SO)$(CC) -O2 -g -std=gnu2x -D_GNU_SOURCE -I. -fPIC -shared -o $@ $<
$(B)/core.a: $(CORE)
	$(call say,AR)rm -f $@ && ar rcs $@ $^
# Objects that only a program of the same name needs are kept. (Without names, every file that is missing would count as
# intermediate, and no missing one as a reason to build.)
.SECONDARY: $(addsuffix .o,$(UNIT) $(TOOLS) $(FUZZ)) $(FUZZED:%.c=build/fuzz/%.o)

-include $(patsubst %.o,%.d,$(filter %.o,$(CORE) $(REPL) $(KERNEL) $(CPU) $(CUDA) $(RANKS)) $(addsuffix .o,$(UNIT) $(TOOLS) $(FUZZ)))

BUILD = $(MAKE) --no-print-directory -j$(JOBS) all
# The runner takes the place of the shell, so that it gets the signals sent to make and can report.
TEST  = $(BUILD) tests && python3 tests/layers.py tests/layers.txt $(B) && MODE=$(MODE) JOBS=$(JOBS) exec tests/run
deps: ; @.make/deps.sh                  ## install what is missing
run: deps                               ## the demonstration, on real data
	@$(BUILD) && mkdir -p build/run && $(B)/gpa examples/elnino.gpa build/run
check: deps format-check                ## before each commit: build, layers, format, a selection of the tests; 3 minutes on two cores
	@$(TEST) --check
test: deps format-check                 ## every test (PART=K/N: a share)
	@$(TEST)
test-features: deps                     ## what is compared with NumPy, as on processors with SSE, AVX2, AVX-512
	@$(BUILD) tests && for f in sse avx2 avx512; do \
	    echo "FEATURES=$$f"; FEATURES=$$f OUT=$(B)/test-$$f MODE=$(MODE) JOBS=$(JOBS) tests/run --oracle || failed=1; \
	done; [ ! "$$failed" ]
test-gpu: deps                          ## the tests of a GPU (PART=K/N: a share)
	@$(TEST) --gpu
test-ranks: deps                        ## the tests of arrays on RANKS=2 processes, every launch divided (PART=K/N: a share)
	@$(TEST) --ranks
test-kit: all tests                     ## an archive of what test-gpu needs of a build, for a machine without compilers
	@.make/kit.sh $(B) build/gpa-tests.tar.xz
tests: $(UNIT) $(TOOLS) $(FUZZ) $(FAKE) $(STUBS) $(EMULATOR) ; @true
layers:                                 ## check which room includes and calls which
	@python3 tests/layers.py tests/layers.txt $(B)
bench: deps                             ## compare with NumPy, numexpr, Numba
	@$(BUILD) && GPA=$(B)/gpa tests/bench/run
bench-numerics: deps                    ## compare with NumPy and SciPy, one row for each function
	@$(BUILD) && GPA=$(B)/gpa tests/bench/run numerics
bench-gpu: deps                         ## compare with CuPy, JAX, PyTorch, Numba on a GPU (QUICK=1: gpa alone)
	@$(BUILD) && GPA=$(B)/gpa $(or $(wildcard build/venv/bin/python),python3) tests/bench/gpu.py $(if $(QUICK),--quick)
bench-gradients: deps                   ## compare gradients with JAX and torch.compile on a GPU
	@$(BUILD) && GPA=$(B)/gpa GPA_DEVICE=$(or $(GPA_DEVICE),cuda) $(or $(wildcard build/venv/bin/python),python3) tests/bench/gradients.py
bench-programs: deps                    ## compare on whole programs: NPBENCH=FOLDER PYHPC=FOLDER, checkouts of npbench and pyhpc-benchmarks
	@$(BUILD) && GPA=$(B)/gpa tests/bench/run programs
tuning: deps                            ## measure the tuning constants (IN=WORDS: rows, DEVICES=cpu,threads,gpu,alone)
	@$(MAKE) --no-print-directory MODE=tuning -j$(JOBS) && tests/bench/tuning.py --build $(IN) && \
	    tests/bench/tuning.py $(if $(DEVICES),--devices=$(DEVICES)) $(IN)
tuning-kit: deps                        ## an archive that measures the tuning constants of a GPU on a machine without compilers
	@$(MAKE) --no-print-directory MODE=tuning -j$(JOBS) && tests/bench/tuning.py --build --rest --devices=gpu,alone && \
	    .make/tuning_kit.sh build/tuning build/gpa-tuning.tar.xz
cov:                                    ## line coverage of the tests
	@$(MAKE) --no-print-directory test MODE=cov; .make/coverage.sh
docs: all                               ## the documentation as a static site, with a search box: build/docs/index.html
	@.make/docs.sh $(B) build/docs run && echo '  build/docs/index.html'
dumps: all tests                        ## kir, CUDA source, LLVM IR of every program: build/dumps/$(DUMPS); AGAINST=OTHER compares
	@build/venv/bin/python tests/dumps.py $(B) build/dumps/$(or $(DUMPS),now) $(if $(AGAINST),build/dumps/$(AGAINST))
picture: all                            ## the picture in the README: a session typed into a pseudo-terminal
	@build/venv/bin/python tests/prompt/picture.py tests/prompt/picture.txt examples/gpa.svg
clean: ; rm -rf build                   ## remove build/
help:                                   ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' Makefile | while IFS="$$(printf '\t')" read -r target text; do printf '  make %-15s %s\n' "$$target" "$$text"; done

# Programs in bin/, plugins in lib/gpa/, where a program looks for them after its own folder, and the kernelspec where
# Jupyter looks for it; that of an archive, which may be unpacked anywhere, names the program relative to itself.
TO = $(DESTDIR)$(PREFIX)
KERNEL_PROGRAM = $(abspath $(PREFIX))/bin/gpa-kernel
INSTALLED = $(if $(CPU_PLUGIN),$(BUILT:$(B)/gpa-cpu.so=$(CPU_PLUGIN)),$(BUILT))
install: all                            ## PREFIX=/usr/local DESTDIR=
	install -d $(TO)/bin $(TO)/lib/gpa $(TO)/share/doc/gpa $(TO)/share/gpa/examples
	install -s -m 755 $(filter-out %.so $(INTERPRETERS),$(BUILT)) $(TO)/bin
	$(if $(filter %.so,$(INSTALLED)),install -s -m 644 $(filter %.so,$(INSTALLED)) $(TO)/lib/gpa)
	$(if $(filter $(INTERPRETERS),$(BUILT)),install -m 644 $(INTERPRETERS) $(TO)/lib/gpa)
	install -m 644 LICENSE $(wildcard README.md) $(TO)/share/doc/gpa
	$(if $(wildcard examples/*),cp -R examples/. $(TO)/share/gpa/examples)
	$(if $(filter %/gpa-kernel,$(BUILT)),$(B)/gpa-kernel install --prefix $(TO) --program '$(KERNEL_PROGRAM)' > /dev/null)

NAME = gpa-$(VERSION)-linux-$(shell uname -m)
STATIC := $(if $(LLVM_STATIC_LIBS),$(B)/static/gpa-cpu.so)
# The installed files with the libraries that they need, in build/dist/$(NAME): what archives are made of.
tree: all $(STATIC)
	@rm -rf build/dist && $(MAKE) --no-print-directory -s install DESTDIR= PREFIX=$(CURDIR)/build/dist/$(NAME) \
	    KERNEL_PROGRAM='{resource_dir}/../../../../bin/gpa-kernel' CPU_PLUGIN=$(STATIC)
	@.make/dist.sh build/dist/$(NAME) $(LLVM_STATIC_LIBS)
dist: tree                              ## an archive that runs elsewhere
	@tar -C build/dist -czf build/$(NAME).tar.gz $(NAME) && echo "  build/$(NAME).tar.gz"
wheel: tree                             ## a package for pip: build/gpa_lang-*.whl
	@rm -f build/gpa_lang-*.whl && python3 .make/wheel.py build/dist/$(NAME) $(VERSION) build
deb: all                                ## a package for Debian: build/gpa_*.deb
	@rm -rf build/deb && $(MAKE) --no-print-directory -s install DESTDIR=$(CURDIR)/build/deb PREFIX=/usr
	@.make/deb.sh build/deb $(VERSION) build

# clang-format and its output differ from version to version; .clang-format is written for this one.
FORMAT_VERSION = 14
CLANG_FORMAT = $(shell for c in clang-format-$(FORMAT_VERSION) clang-format; do $$c --version 2> /dev/null | grep -q 'version $(FORMAT_VERSION)\.' && command -v $$c && break; done)
FORMATTED = find lang runtime repl kernel tests .make \( -name '*.[ch]' -o -name '*.cuh' \) -print0 | xargs -0 -P $(JOBS) -n 40
format:                                 ## format the C sources
	@$(if $(CLANG_FORMAT),$(FORMATTED) $(CLANG_FORMAT) -i,echo '  clang-format $(FORMAT_VERSION) is missing'; exit 1)
format-check:                           ## fail if a C source is not formatted, or a test has long lines
	@$(if $(CLANG_FORMAT),$(FORMATTED) $(CLANG_FORMAT) --dry-run 2>&1 | sed -n 's/:[0-9].*warning: code should be.*/: not formatted (make format)/p' | \
	    sort -u | { ! grep . ; },echo '  format not checked: clang-format $(FORMAT_VERSION) is missing')
	@LC_ALL=C.UTF-8 grep -rnE '^[^#].{160}' tests --include='*.py' --include='*.gpa' --include='*.sh' | \
	    sed -E 's/^([^:]*:[0-9]*):.*/\1: more than 160 columns/' | { ! grep . ; }

# clang on every source, with its warnings as errors; nothing is built.
CLANG = $(firstword $(foreach c,clang clang-19 clang-18 clang-17 clang-16 clang-15,$(shell command -v $(c))))
CHECKED = $(call src,lang/*/*.c runtime/*/*.c runtime/*/*/*.c repl/*.c $(if $(filter %/gpa-kernel,$(BUILT)),kernel/*.c) .make/*.c tests/tools/*.c) \
          $(UNIT:$(B)/%=%.c) $(FUZZ:$(B)/%=%.c)
CHECKED_FLAGS = $(READLINE_CFLAGS) $(ZMQ_CFLAGS) $(JANSSON_CFLAGS) $(ZIP_CFLAGS) $(ZLIB_CFLAGS) $(PCRE2_CFLAGS) $(PNG_CFLAGS) $(LLVM_CFLAGS) $(CMOCKA_CFLAGS)
syntax:                                 ## clang's warnings, as errors
	@$(if $(CLANG),,echo '  clang is missing'; exit 1)
	@printf '%s\n' $(if $(HAVE_LLVM),$(CHECKED),$(filter-out runtime/cpu/%,$(CHECKED))) | \
	    xargs -P $(JOBS) -n 24 $(CLANG) -fsyntax-only $(filter-out -MMD -MP,$(ALL)) $(CHECKED_FLAGS)
CLANG_TIDY = $(firstword $(foreach c,clang-tidy clang-tidy-14,$(shell command -v $(c))))
tidy:                                   ## clang-tidy's checks of .clang-tidy on every source, or those below IN=FOLDER
	@$(if $(CLANG_TIDY),,echo '  clang-tidy is missing'; exit 1)
	@$(if $(filter $(if $(IN),$(IN)%,%),$(CHECKED)),,echo '  no C source below $(IN)'; exit 1)
	@printf '%s\n' $(filter $(if $(IN),$(IN)%,%),$(CHECKED)) | \
	    xargs -P $(JOBS) -n 1 sh -c '$(CLANG_TIDY) --quiet "$$0" -- $(filter-out -W% -MMD -MP,$(subst ','\'',$(ALL))) $(CHECKED_FLAGS) 2> /dev/null'

# Fuzzing: whole programs against NumPy, and tests/fuzz/*.c with libFuzzer where clang has it: build/fuzz/NAME
# build/fuzz/corpus. `make test` runs some of the programs, and the same targets for a few seconds on mutations of the test
# programs (tests/fuzz/drive.h).
fuzz: deps                              ## N=1000 random programs of SEED=1 on DEVICE=cpu, ref, emulated, interpreted, spoiled or cuda:0
	@$(BUILD) tests && MODE=$(MODE) JOBS=$(JOBS) $(foreach v,N SEED DEVICE,$(if $($v),$v=$($v))) exec tests/run --fuzz
soak: deps                              ## sessions of DURATION=3600 seconds with flat memory, 200 restarts, processes killed
	@$(BUILD) tests && MODE=$(MODE) JOBS=$(JOBS) $(if $(DURATION),DURATION=$(DURATION)) exec tests/run --soak
libfuzzer:                              ## build the fuzz targets (clang)
	@$(if $(CLANG),,echo '  fuzzing with feedback needs clang'; exit 1)
	@mkdir -p build/fuzz/corpus && cp tests/lang/*.gpa tests/diff/*.py examples/*.gpa tests/fuzz/wire/* build/fuzz/corpus 2>/dev/null; true
	@$(MAKE) --no-print-directory MODE=fuzz CC=$(CLANG) fuzzed
fuzzed: $(patsubst tests/fuzz/%.c,build/fuzz/%,$(FUZZED)) ; @true
build/fuzz/%: build/fuzz/tests/fuzz/%.o build/fuzz/core.a
	$(call say,LD)$(CC) $(CFLAGS) -fsanitize=fuzzer $(LDFLAGS) $(EXE) -o $@ $< build/fuzz/core.a $(LIBS)

.PHONY: default all help dumps syntax tidy format format-check docs picture deps run check test test-features test-gpu test-ranks test-kit tests cov \
        bench bench-numerics bench-gpu bench-gradients bench-programs tuning tuning-kit install tree dist wheel deb layers fuzz soak libfuzzer fuzzed clean
