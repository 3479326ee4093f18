# make demo   set up and run the main job on a real data set
# make test   set up and run the tests that protect every part, in two processes; 136 s measured on two cores of an AMD EPYC, 454 s on older ones
# make test-all   the same, and the tests marked as slow (make test-slow runs those alone)
# make lint   style, types and import directions; layout and clang-tidy of the kernels, about a minute on two cores
# make tidy   clang-tidy alone; FILES=... over some of the kernels, CHECKS=clang-analyzer-* with the static analyzer too
# make docs   the documents as a site, build/docs/index.html
# make bench  the benchmarks (about half an hour), a table for each, and docs/project/figures.md with all that was measured
# make mutants NUMBER=30 SEED=0   small changes, so many to the Python that counts and to the kernels, drawn at random, that
#                    tests should notice, and those that none does
# make studies DATA=DIR   the tables of docs/project/measured_*.md anew, some hours
# make native-test   the kernels alone under the address and undefined-behaviour sanitizers; and that object files for an
#                    instruction set share no code that needs it
# make cross         the kernels alone for ARM, Windows and WebAssembly, tried in emulators; CONTRIBUTING.md names what it needs
# make lowest        the lowest versions that are declared, in an environment of their own, under a fast set of tests
# make highest       the same with the newest versions that are released
# make sanitize      the extension under the address and undefined-behaviour sanitizers, in the tests that lean on it, and
#                    under the thread sanitizer in those of threads
# make wheel         builds the wheel with PYTHON, installs it in a clean environment and tries it there, and so for each of
#                    OTHERS: make wheel PYTHON=python3.12 OTHERS="python3.13 python3.14"
# make release       all files of a release in dist: source archive, wheels of PYTHON and OTHERS, the documents, what an install
#                    brings, checksums; built twice, and the two must agree in every byte
# make audit, sbom   known weaknesses of the packages installed, and a list of them (CycloneDX); audit needs the network
# make nightly       what takes too long for every run: the static analyzer, thousands of damaged files, saved selections,
#                    statements of SQL and commands, each by a fixed seed, 50 more tables for the levels of all stopping rules
#                    (build/promises.jsonl), and fuzzing guided by coverage, two minutes for each reader and each of the
#                    others; its counts are kept with the results of the benchmarks
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
EMSCRIPTEN ?= /usr/share/emscripten
KERNELS := $(shell find native tests/native -name '*.cpp' -o -name '*.hpp')
FILES ?= $(filter native/%.cpp,$(KERNELS))
CHECKS ?=
SOURCES := pyproject.toml CMakeLists.txt $(shell find native -type f)

.PHONY: demo test test-slow test-all lint tidy docs bench mutants studies native-test cross lowest highest sanitize wheel release audit sbom nightly clean

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

# Runs a command that says nothing, with a line every ten seconds; its exit code is that of the command.
waiting = $(1) & job=$$!; (while sleep 10; do echo "  ... still at it, $$((seconds += 10)) s"; done) & line=$$!; \
	wait $$job; code=$$?; kill $$line; exit $$code

$(VENV)/.installed: $(BIN)/python $(SOURCES)
	@echo "Installing bitsieve and what it needs into $(VENV); the kernels are compiled, about a minute on two cores ..."
	@$(call waiting,$(BIN)/python -m pip install --quiet -e .)
	@touch $@

$(VENV)/.installed-dev: $(BIN)/python $(SOURCES)
	@echo "Installing bitsieve and the tools for development into $(VENV); about two minutes on two cores ..."
	$(BIN)/python -m pip install --quiet -e ".[dev]"
	@touch $@ $(VENV)/.installed

demo: $(VENV)/.installed
	$(BIN)/bitsieve demo

test: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -n 2 --dist worksteal

test-slow: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -n 2 --dist worksteal -m slow

test-all: test test-slow

lint: $(VENV)/.installed-dev tidy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/clang-format --dry-run --Werror $(KERNELS)

# The bindings need nanobind and Python, whose headers the compile commands name.
tidy: $(VENV)/.installed-dev
	$(BIN)/python -m pip install --quiet nanobind
	mkdir -p build
	cmake -S . -B build/tidy -DBITSIEVE_NATIVE_TEST=BOTH -DPython_EXECUTABLE=$(abspath $(BIN)/python) \
		-DCMAKE_EXPORT_COMPILE_COMMANDS=ON >build/tidy.log
	echo $(FILES) | xargs -n 1 -P 2 $(BIN)/clang-tidy -p build/tidy --quiet --checks='$(CHECKS)'

docs: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet -e ".[docs]"
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs build/docs

bench: $(VENV)/.installed-dev
	$(BIN)/python -m benchmarks.peers
	$(BIN)/python -m benchmarks
	$(BIN)/python -m benchmarks.trust attacks
	$(BIN)/python -m benchmarks.trust coverage
	$(BIN)/python -m benchmarks table

mutants: $(VENV)/.installed-dev
	$(BIN)/python -m pip install --quiet cosmic-ray nanobind "pytest>=9"
	$(BIN)/python -m tools.mutants $(NUMBER) $(SEED); code=$$?; \
		$(BIN)/python -m tools.native_mutants $(NUMBER) $(SEED) && exit $$code

studies: $(VENV)/.installed-dev
	$(BIN)/python -m benchmarks.bias
	$(BIN)/python -m benchmarks.levels
	$(BIN)/python -m benchmarks.markov_blankets
	$(BIN)/python -m benchmarks.scorecard_words
	$(BIN)/python -m benchmarks.false_discoveries 200
	$(BIN)/python -m benchmarks.dependent 480 --peers 0
	$(BIN)/python -m benchmarks.default_uncut
	$(BIN)/python -m benchmarks.warning_notes
	$(if $(DATA),$(BIN)/python -m benchmarks.default_method $(DATA) --binning mdl)
	$(if $(DATA),$(BIN)/python -m benchmarks.default_method $(DATA) --binning quantile)
	mkdir -p build
	$(if $(DATA),$(BIN)/python -m benchmarks.default_criterion $(DATA) build/default_criterion.jsonl)
	$(if $(DATA),$(BIN)/python -m benchmarks.tall_tables $(DATA) build/tall_tables.jsonl)

native-test:
	cmake -S . -B build/sanitized -DBITSIEVE_NATIVE_TEST=ON -DBITSIEVE_SANITIZE=address,undefined -DCMAKE_COMPILE_WARNING_AS_ERROR=ON
	cmake --build build/sanitized --parallel 2
	UBSAN_OPTIONS=halt_on_error=1 build/sanitized/native_test
	$(PYTHON) tools/shared_symbols.py build/sanitized

cross_test = cmake -S . -B build/$(1) -DBITSIEVE_NATIVE_TEST=ON $(2) && cmake --build build/$(1) --parallel 2 && $(3)
cross: export NODE_PATH = /usr/share/nodejs
cross:
	$(call cross_test,arm64,-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++ \
		-DCMAKE_EXE_LINKER_FLAGS=-static,qemu-aarch64-static build/arm64/native_test)
	$(call cross_test,windows,-DCMAKE_SYSTEM_NAME=Windows -DCMAKE_CXX_COMPILER=x86_64-w64-mingw32-g++-posix \
		-DCMAKE_EXE_LINKER_FLAGS=-static,WINEDEBUG=-all wine build/windows/native_test.exe)
	$(call cross_test,wasm,-DCMAKE_TOOLCHAIN_FILE=$(EMSCRIPTEN)/cmake/Modules/Platform/Emscripten.cmake -DCMAKE_CXX_FLAGS=-fexceptions \
		-DCMAKE_EXE_LINKER_FLAGS=-sALLOW_MEMORY_GROWTH=1,node --no-experimental-fetch --stack-size=4000 build/wasm/native_test.js)

lowest:
	$(PYTHON) tools/versions.py lowest build/lowest

highest:
	$(PYTHON) tools/versions.py highest build/highest

sanitize: $(VENV)/.installed-dev
	$(BIN)/python -m pip install --quiet scikit-build-core nanobind
	$(BIN)/python tools/sanitize.py address,undefined
	$(BIN)/python tools/sanitize.py thread

wheel:
	$(PYTHON) -m venv --clear build/wheel-tools
	build/wheel-tools/bin/python -m pip install --quiet abi3audit
	build/wheel-tools/bin/python tools/wheel.py build/wheel $(OTHERS)

release:
	$(PYTHON) -m venv --clear build/release-tools
	build/release-tools/bin/python -m pip install --quiet abi3audit auditwheel build cyclonedx-bom trove-classifiers
	build/release-tools/bin/python -m tools.release dist $(OTHERS)

audit: $(VENV)/.installed
	$(PYTHON) -m venv build/audit
	build/audit/bin/python -m pip install --quiet pip-audit
	build/audit/bin/pip-audit --path $(firstword $(wildcard $(VENV)/lib/python*/site-packages))

sbom: $(VENV)/.installed
	$(PYTHON) -m venv build/audit
	build/audit/bin/python -m pip install --quiet cyclonedx-bom
	build/audit/bin/cyclonedx-py environment $(BIN)/python --pyproject pyproject.toml --of JSON -o build/sbom.json

nightly: $(VENV)/.installed-dev
	$(MAKE) tidy CHECKS='clang-analyzer-*,-clang-analyzer-optin.performance.Padding' FILES='$(filter-out native/bind/%,$(FILES))'
	$(BIN)/python -m pytest -m nightly
	mkdir -p build
	$(BIN)/python -m benchmarks.promises build/promises.jsonl --new 50
	if $(BIN)/python -m pip install --quiet -e ".[fuzzing]"; then $(BIN)/python -m benchmarks.trust fuzzing; fi

clean:
	rm -rf $(VENV) build dist demo_output .peers
