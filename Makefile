# make demo      set-up, release build, the suite npc (five locks under N, P and C), its report
# make check     set-up, build with ASan, the quick tests: no servers, no explorations, no pages
# make test      all unit, sim and real tests; the recorder and the real Env under TSan as well
# make test-all  make test and everything deeper, for a release: resumable, a summary at the end
# make build     set-up, release build: build/doublehold
# make bench     set-up, release build, the speed and memory figures as ratios
# make findings  set-up, release build, each finding in a library five times: docs/findings.md
# make loop      what the builds and the tests above cost in CPU seconds, against their budgets
# make mutants   set-up, dev build, the tests of the checkers against broken checkers
# make format, make tidy
.PHONY: demo check test test-all build bench findings loop mutants format tidy setup readme clean build-check build-test

JOBS ?= $(shell nproc)
# A test on real servers mostly waits, for a lease to be over. Meanwhile the others use the cores.
REAL_JOBS ?= $(shell expr 2 \* $(JOBS))
SOURCES = $(shell git ls-files '*.cc' '*.h' '*.c')
CTEST = ctest --output-on-failure --no-tests=error
export NINJA_STATUS = [%f of %t] 
# Quiet on success, everything on failure.
define quietly
@log=$$(mktemp) && { $(1) >$$log 2>&1 || { cat $$log; rm -f $$log; exit 1; }; } && rm -f $$log
endef

setup:
	@./setup.sh

build: setup
	$(call quietly,cmake --preset release)
	cmake --build --preset release -j $(JOBS) --target doublehold

demo: build
	build/doublehold suite compose/suites/npc.toml
	@echo "the report:"
	@build/doublehold report runs/npc/latest

build-check: setup
	$(call quietly,cmake --preset asan)
	cmake --build --preset asan -j $(JOBS) --target check_tests

check: build-check
	cd build-asan && $(CTEST) -j $(JOBS) -L check

build-test: setup
	$(call quietly,cmake --preset asan)
	cmake --build --preset asan -j $(JOBS)
	$(call quietly,cmake --preset tsan)
	cmake --build --preset tsan -j $(JOBS) --target tsan_tests

test: build-test
	cd build-tsan && $(CTEST) -j $(REAL_JOBS) -L tsan
	cd build-asan && $(CTEST) -j $(REAL_JOBS) -L 'unit|sim|real'

test-all: setup
	cmake/test_all.py --jobs $(JOBS) --real-jobs $(REAL_JOBS)

bench: build
	cmake --build --preset release -j $(JOBS) --target bench/all
	bench/run.py build

loop: setup
	bench/loop.py --jobs $(JOBS)

mutants:
	@./setup.sh --tidy
	$(call quietly,cmake --preset dev)
	cmake --build --preset dev -j $(JOBS) --target checker_test linear_test history_test op_log_test
	checker/mutants/run.py build-dev --jobs $(JOBS)
	checker/mutants/operators.py build-operators --jobs $(JOBS)

findings: build
	docs/findings/record.py build/doublehold

readme: build
	docs/generate.py build/doublehold README.md docs/*.md

format:
	@./setup.sh --tidy
	clang-format-14 -i $(SOURCES)

tidy:
	@./setup.sh --tidy
	cmake --preset tidy
	cmake --build build-tidy -j $(JOBS) --target all bench/all slow_tests -- -k 0

clean:
	rm -rf build build-asan build-ubsan build-tsan build-tidy build-dev build-loop build-alone build-all build-operators
