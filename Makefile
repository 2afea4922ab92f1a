# make test    installs what the tests need (Debian) and runs them, but for the long ones
# make check   the same without installing anything
# make vet     gofmt and go vet
# make long    make vet and the long tests: TestLong..., the race detector, native libraries; CI runs them after make test
# make bench   the benchmarks, one line each
# make bench-scale  1,048,576 and 16,777,216 processors, default and smallest buffers, beside a C++ simulator
# make bench-rival  figures of processor time beside those of an earlier commit (RIVAL=c36f724c), an hour; BENCH='Cycle' chooses
# make images  rebuilds the firmware images and all generated files
# make man     manual pages: man -M man starloom-run
# make install  the command, its manual pages and its completion for bash, zsh and fish: PREFIX (/usr/local), DESTDIR
# make dist    dist/: static programs for Linux, macOS and Windows (amd64, arm64; TARGETS=linux/amd64: only these), with manual pages,
#              completion and checksums
# make site    dist/site: the pages of docs as a site that loads nothing from elsewhere; make site-serve shows it at http://127.0.0.1:8000
# make house   how the sources are built: sizes, uses, cycles, and what breaks the rules of form (HOUSE=all: every place)
#              SAMPLE=seed: draws comments, messages and sentences of the documentation for a reader
# make newer   another Debian release (SUITE=trixie, sid), unpacked from packages in the user's cache, and the quick tests of RTL and firmware
#              inside it; nothing is installed, and no mount is left
# make newer-all  all tests of RTL, firmware and traces inside it, and the guide; make newer-test: make test inside it
# make newer-same  verdicts and digests of all examples, here and inside it: they must be the same, but one may leave a proof undecided
# make full    everything at full length, and the full studies; needs rustc for wasm32 and npm, too

GO ?= go

# Command and Debian package of every tool that the tests use. wasm-opt is here because it must change nothing.
TOOLS = clang:clang wasm-ld:lld wasm-opt:binaryen wasm-as:binaryen tshark:tshark vcd2fst:gtkwave g++:build-essential verilator:verilator iverilog:iverilog yosys:yosys ghdl:ghdl genhtml:lcov \
	jq:jq groff:groff-base broadwayd:libgtk-3-bin qemu-aarch64:qemu-user gdb-multiarch:gdb-multiarch sbatch:slurm-wlm munge:munge node:nodejs npm:npm chromium:chromium zsh:zsh fish:fish mkdocs:mkdocs
# File and Debian package of every library: for native unit tests, for C++ in WebAssembly, and for completion.
LIBRARIES = /usr/include/cmocka.h:libcmocka-dev /usr/lib/wasm32-wasi/libc.a:wasi-libc /usr/lib/wasm32-wasi/libc++.a:libc++-dev-wasm32 \
	/usr/lib/llvm-*/lib/clang/*/lib/wasi/libclang_rt.builtins-wasm32.a:libclang-rt-dev-wasm32 /usr/share/bash-completion/bash_completion:bash-completion
MISSING = $(foreach tool,$(TOOLS),$(if $(shell command -v $(firstword $(subst :, ,$(tool)))),,$(lastword $(subst :, ,$(tool))))) \
	$(foreach library,$(LIBRARIES),$(if $(wildcard $(firstword $(subst :, ,$(library)))),,$(lastword $(subst :, ,$(library)))))

PREFIX ?= /usr/local

# Copies of the project, in which tests build, take what is compiled here: no path is in it.
export GOFLAGS := $(GOFLAGS) -trimpath

# What tests and compilers run in. Fewer collections of garbage: tests make many small machines. Without C, as what make dist builds:
# it is compiled once, and without tables for debuggers, an eighth of the compiler's time. Yosys and Verilator take large pages,
# and temporary files are made in memory where it has room: a page fault or a new file costs more than what is done with it.
ROOMY = grep -q '^[^ ]* /dev/shm .*noexec' /proc/mounts || df -Pk /dev/shm | awk '$$6 == "/dev/shm" && $$4 > 8000000 { print $$6; exit }'
GROUPS = check vet long cluster lengthy race architectures newer newer-all newer-test newer-same
$(GROUPS): export GOGC = 400
$(GROUPS): export CGO_ENABLED = 0
$(GROUPS): export GOFLAGS += -gcflags=all=-dwarf=false
$(GROUPS): export GLIBC_TUNABLES = glibc.malloc.hugetlb=1
$(GROUPS): export TMPDIR := $(or $(shell ($(ROOMY)) 2>/dev/null),$(TMPDIR),/tmp)

# Packages with tests, or benchmarks, that begin so.
with = $(sort $(dir $(shell grep -rlE --include='*_test.go' '^func $(1)' $(2))))

# Packages whose tests take -full.
FULL = $(sort $(dir $(shell grep -rlE --include='*_test.go' 'Bool."full"|systemtest.Main' .)))

# What tests of RTL, firmware and traces need; chrooting and mounting need root, or a kernel that gives it in a namespace.
SUITE ?= trixie
NEWER = clang lld binaryen tshark gtkwave build-essential verilator iverilog yosys ghdl lcov jq groff-base libcmocka-dev \
	wasi-libc libc++-dev-wasm32 libclang-rt-dev-wasm32
# Two twins in lockstep, proofs, prints, conformance of what is built, and firmware.
NEWER_QUICK = '^(TestTwinsInLockstepOnIcarus|TestOfTwins|TestMutant|TestDeadBranch|TestSecondIsLed|TestBuildOfVHDL|TestBuildRefuses|TestMisread|TestJSONIsXML|TestBuildWarns|TestDissectorFields)$$'
NEWER_TESTED = ./cosim/twin ./cosim/lockstep ./cosim/prove ./cosim/flatten ./cosim/verilator ./firmware ./nic

.PHONY: newer newer-all newer-test newer-same newer-tree test tools check vet long lengthy cluster race architectures bench bench-scale bench-rival images man install dist site site-serve house full

test: tools
	@$(MAKE) --no-print-directory check

# All at once: one waits for its last package while another compiles, and a cluster's limits are minutes of waiting.
long: tools
	@$(MAKE) --no-print-directory vet
	@$(MAKE) --no-print-directory -j3 cluster lengthy race architectures

tools:
ifneq ($(strip $(MISSING)),)
	@echo "installing: $(strip $(MISSING))"
	@run=; [ "$$(id -u)" = 0 ] || run=sudo; \
	$$run apt-get update -qq && \
	$$run env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(MISSING) >/dev/null
endif

# Three packages at once: tests wait for tools.
check:
	$(GO) test -vet=off -ldflags=-w -p 3 -skip '^TestLong' ./cmd/cli ./cosim/... ./internal/systemtest/... ./...

# What reads the sources, but for the rules of the house: they are among the long tests.
vet:
	@unformatted="$$(gofmt -l .)"; [ -z "$$unformatted" ] || { echo "gofmt would change: $$unformatted"; exit 1; }
	$(GO) vet ./...

newer: newer-tree
	.ci/root run $(SUITE) $(GO) test -count=1 -vet=off -ldflags=-w -run $(NEWER_QUICK) $(NEWER_TESTED)
newer-all: newer-tree
	.ci/root run $(SUITE) $(GO) test -count=1 -vet=off -ldflags=-w -p 1 -timeout 60m -skip Arm64 ./cosim/... ./firmware/... ./traces/... ./nic \
		./internal/maps ./internal/systemtest/rtl ./internal/systemtest/check ./internal/systemtest/outputs ./fabric/fabrictest
	.ci/root run $(SUITE) $(GO) test -count=1 -vet=off -ldflags=-w -run '^(TestDocs|TestLongDocsOfTheGuide)$$' ./cmd/cli
	.ci/root run $(SUITE) $(GO) test -count=1 -vet=off -ldflags=-w -run TestRans ./internal/tools -record

# The README's test command there, as a user types it: with every package that it names.
newer-test:
	@$(GO) mod download
	@.ci/root make $(SUITE) $(NEWER) $(sort $(foreach of,$(TOOLS) $(LIBRARIES),$(lastword $(subst :, ,$(of)))))
	.ci/root run $(SUITE) make test

newer-same: newer-tree
	@mkdir -p out
	.ci/verdicts >out/verdicts
	.ci/root run $(SUITE) .ci/verdicts >out/verdicts-$(SUITE)
	@awk -F': ' 'NR == FNR { here[$$1] = $$0; next } here[$$1] != $$0 { print "here:  " here[$$1] "\nthere: " $$0; \
		differs = differs || here[$$1] !~ /: undecided/ && !/: undecided/ } END { exit differs }' out/verdicts out/verdicts-$(SUITE)

newer-tree:
	@$(GO) mod download # inside, no proxy is asked
	@.ci/root make $(SUITE) $(NEWER)

cluster:
	$(GO) test -vet=off -ldflags=-w -timeout 25m -run '^TestLong.*(Slurm|Cluster)' ./internal/slurm ./cmd/cli

# First what takes most.
lengthy:
	$(GO) test -vet=off -ldflags=-w -p 3 -timeout 40m -run '^TestLong' -skip 'Architectures|Slurm|Cluster' ./cmd/cli \
		$(call with,TestLong,./cosim ./internal/systemtest) $(filter-out %/slurm/,$(call with,TestLong,.))

# Cases of all studies; make full has all of them.
architectures:
	$(GO) test -vet=off -ldflags=-w -timeout 25m -run '^TestLongArchitectures' ./cmd/cli

# The race detector watches everything that more than one worker touches: left out are tests on one
# goroutine, which compare with a definition or run tshark or repeat many cases, and the study, whose batch of runs is that of the seeds.
race:
	CGO_ENABLED=1 $(GO) test -vet=off -ldflags=-w -race -short -skip '^TestLong|^Test(Classes|RouterSettings|RouterStageOptions|GeneralAsNarrow|Queues|ResultsAreBounded)$$|Against(Definition|Matching|Sums|PlainQueues)|OneByOne|Pins|Dissector|Published|Maximal|Uniform|Independent|Avalanche' \
		./hw ./nic ./fabric ./fabric/plant ./fabric/referees ./fabric/stream ./fabric/studies
	CGO_ENABLED=1 $(GO) test -vet=off -ldflags=-w -race -short -run 'Execution|Engines|Windows|Seeds|Interrupt|Reproducible|Cut|Collision' -skip '^TestLong|StudyInterrupted' \
		$(addprefix ./internal/systemtest/,engines outputs programs routers rtl rules)

bench-scale:
	$(GO) test -run '^$$' -bench Scale -benchtime 3x -timeout 30m ./internal/systemtest/engines

RIVAL ?= c36f724c
BENCH ?= Link|Cycle|Metering|Slot/n=65536|Gossip/slot|EJ/dimensions=5
bench-rival:
	$(GO) run ./internal/rival -commit $(RIVAL) -bench '$(BENCH)' ./internal/systemtest/engines ./internal/systemtest/programs ./nic

bench:
	$(GO) test -run '^$$' -bench '^Benchmark([^S]|S[^c])' -benchtime 1s ./...

images:
	$(GO) test ./firmware -run Images -update
	$(GO) test ./nic -run RegisterMap -update
	$(GO) test ./internal/systemtest/... ./traces/vcd ./traces/pcapng ./nic ./cmd/... -update

man:
	$(GO) run ./cmd/starloom help --man man/man1

# What is installed is made in a folder of its own: DESTDIR may belong to another user.
install:
	@tmp=$$(mktemp -d) && trap 'rm -rf "$$tmp"' EXIT && set -e && \
	$(GO) build -o "$$tmp/starloom" ./cmd/starloom && "$$tmp/starloom" help --man "$$tmp/man" && \
	for shell in bash zsh fish; do "$$tmp/starloom" completion $$shell > "$$tmp/$$shell"; done && \
	to="$(DESTDIR)$(PREFIX)" && \
	install -d "$$to/bin" "$$to/share/man/man1" "$$to/share/bash-completion/completions" \
		"$$to/share/zsh/site-functions" "$$to/share/fish/vendor_completions.d" && \
	install -m 755 "$$tmp/starloom" "$$to/bin/starloom" && \
	install -m 644 "$$tmp"/man/*.1 "$$to/share/man/man1/" && \
	install -m 644 "$$tmp/bash" "$$to/share/bash-completion/completions/starloom" && \
	install -m 644 "$$tmp/zsh" "$$to/share/zsh/site-functions/_starloom" && \
	install -m 644 "$$tmp/fish" "$$to/share/fish/vendor_completions.d/starloom.fish" && \
	echo "installed $$to/bin/starloom, with manual pages and completion"

dist:
	@$(GO) run ./internal/dist $(TARGETS)

site:
	@$(GO) run ./internal/website

site-serve:
	@$(GO) run ./internal/website -serve

house:
	@$(GO) run ./internal/house

# All packages whose tests take -full, but for those of which the next lines choose tests.
# A benchmark that no one runs breaks unseen: those of RTL are run once, but for proofs, which the long tests make.
full:
	$(GO) test -vet=off -ldflags=-w -run '^$$' -bench . -benchtime 1x $(filter-out %/prove/,$(call with,Benchmark,./cosim))
	$(MAKE) --no-print-directory newer-all newer-same SUITE=trixie
	-$(MAKE) --no-print-directory newer-all SUITE=sid # a failure there is reported, and docs/reference/tools.md lists it
	$(GO) test -timeout 120m $(filter-out ./cmd/cli/ ./examples/languages/ ./internal/dist/,$(FULL)) -full
	$(GO) test ./examples/languages -run 'Rebuild|Check' -full
	$(GO) test ./internal/dist -run 'TestLongDist|TestLongPipelines' -full
	$(GO) test ./cmd/cli -run 'BigFiles|EveryExportEnds' -full -v
	$(GO) test ./cmd/cli -run 'Architectures|LongDocs$$/docs/how-to/use-from-go' -full
	$(GO) run ./cmd/starloom study pops --full
	$(GO) run ./cmd/starloom study gossip --full
	$(GO) run ./cmd/starloom study bus --full
	$(GO) run ./cmd/starloom study ej --full
	$(GO) run ./cmd/starloom study scatter --full
