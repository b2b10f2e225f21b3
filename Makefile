# make demo   set-up, release build, the suite npc (five locks under N, P and C), its report
# make test   set-up, build with ASan and UBSan, all tests but the slow ones; the recorder and the real Env under TSan as well
# make test-all  make test, then the slow tests and all random trials
# make build  set-up, release build: build/doublehold
# make bench  set-up, release build, the speed and memory figures as ratios
# make mutants  set-up, dev build, the tests of the checkers against each of their deliberate defects
# make format, make tidy
.PHONY: demo test test-all build bench mutants format tidy setup readme clean

JOBS ?= $(shell nproc)
SOURCES = $(shell git ls-files '*.cc' '*.h' '*.c')
# Quiet on success, everything on failure.
define quietly
@log=$$(mktemp) && { $(1) >$$log 2>&1 || { cat $$log; rm -f $$log; exit 1; }; } && rm -f $$log
endef

setup:
	@./setup.sh

build: setup
	@echo "building build/doublehold (release; some minutes the first time)"
	$(call quietly,cmake --preset release)
	$(call quietly,cmake --build --preset release -j $(JOBS) --target doublehold)

demo: build
	build/doublehold suite compose/suites/npc.toml
	@echo "the report:"
	@build/doublehold report runs/npc/latest

test: setup
	@echo "building build-asan (ASan and UBSan; some minutes the first time)"
	$(call quietly,cmake --preset asan)
	$(call quietly,cmake --build --preset asan -j $(JOBS))
	@echo "building build-tsan (TSan; the recorder and the real Env)"
	$(call quietly,cmake --preset tsan)
	$(call quietly,cmake --build --preset tsan -j $(JOBS) --target tsan_tests)
	cd build-tsan && ctest --output-on-failure -L tsan
	cd build-asan && ctest --output-on-failure -j $(JOBS) -LE slow

test-all: test
	cd build-asan && ctest --output-on-failure -L slow
	cd build-asan && DOUBLEHOLD_ALL_TRIALS=1 ctest --output-on-failure -j $(JOBS) -R 'TrialsOfClaim|SearchOf|Conformance'

bench: build
	$(call quietly,cmake --build --preset release -j $(JOBS) --target bench_checker bench_linear bench_paths bench_proxy bench_readers bench_recorder bench_sim bench_variants)
	bench/run.py build

mutants: setup
	@echo "building build-dev (the checkers' tests)"
	$(call quietly,cmake --preset dev)
	$(call quietly,cmake --build --preset dev -j $(JOBS) --target checker_test linear_test history_test op_log_test)
	checker/mutants/run.py build-dev --jobs $(JOBS)

readme: build
	docs/generate.py build/doublehold README.md docs/*.md

format:
	@./setup.sh --tidy
	clang-format-14 -i $(SOURCES)

tidy:
	@./setup.sh --tidy
	cmake --preset tidy
	cmake --build build-tidy -j $(JOBS) -- -k 0

clean:
	rm -rf build build-asan build-tsan build-tidy build-dev
