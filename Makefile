# make demo   set-up, release build, the suite npc, its report
# make test   set-up, build with ASan and UBSan, all tests
.PHONY: demo test build bench format tidy setup clean

JOBS ?= $(shell nproc)

setup:
	@./setup.sh

build: setup
	@cmake --preset release >build.log 2>&1 || { cat build.log; exit 1; }
	@cmake --build --preset release -j $(JOBS)

clean:
	rm -rf build build-asan build-tsan build-tidy
