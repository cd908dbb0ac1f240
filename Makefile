# `make demo` runs the main job on a small sample, `make test` passes the tests. Each one
# sets up what it needs in .venv and is quick the second time.
#
#   make demo PYTHON=python3.12      another interpreter
#   make test PYTEST_ARGS="-k graph" only some of the tests
#   make test PYTEST_WORKERS=        one after the other

PYTHON ?= python3
VENV ?= .venv
PYTEST_ARGS ?=
# A file of tests stays in one process: its fixtures are made once. Files come in their own order,
# not by numbers of tests, and short examples last: no process waits long for another's end.
PYTEST_WORKERS ?= -n auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder
BENCH_ARGS ?=

ifeq ($(OS),Windows_NT)
BIN := $(VENV)/Scripts
else
BIN := $(VENV)/bin
endif

export PIP_DISABLE_PIP_VERSION_CHECK := 1
export NO_MKDOCS_2_WARNING := 1
INSTALL := $(BIN)/python -m pip install --quiet
ifeq ($(CI),true)
INSTALL += --no-input --progress-bar off --no-compile
PYTEST_ARGS += --color=no
export NO_COLOR := 1
endif

# What the installed metadata is made of: when one of these changes, install again.
METADATA := pyproject.toml src/comraf/_version.py

.DEFAULT_GOAL := help
.PHONY: help demo test lint format docs wheel bench dev clean

help:
	@echo "make demo    set up and run comraf on a small sample"
	@echo "make test    set up and run the linters, the type checker and the tests"
	@echo "make lint    the linters and the type checker alone"
	@echo "make format  let ruff put the code in shape"
	@echo "make docs    build the documentation into site/"
	@echo "make wheel   build the wheel and the source archive into dist/"
	@echo "make bench   measure comraf beside its peers"
	@echo "make dev     set up everything, commit hooks too"
	@echo "make clean   remove what the others made"

demo: $(VENV)/.has-core
	$(BIN)/comraf demo

test: lint
	$(BIN)/python -m pytest $(PYTEST_WORKERS) $(PYTEST_ARGS)

lint: $(VENV)/.has-test
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.has-test
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

docs: $(VENV)/.has-docs
	$(BIN)/mkdocs build --strict

wheel: $(VENV)/.has-test
	rm -rf dist
	$(BIN)/python -m build --outdir dist

bench: $(VENV)/.has-bench
	$(BIN)/python -m benchmarks.run $(BENCH_ARGS)

dev: $(VENV)/.has-dev
	$(BIN)/pre-commit install

clean:
	rm -rf $(VENV) build dist site .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis

# The stamp is written last, so an interrupted set-up is taken up again.
$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "comraf needs Python 3.11 or newer, but $(PYTHON) is " + sys.version.split()[0] + ". Name another one: make $(MAKECMDGOALS) PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.has-core: $(VENV)/.created $(METADATA)
	$(INSTALL) --editable .
	@touch $@

$(VENV)/.has-%: $(VENV)/.created $(METADATA)
	$(INSTALL) --editable '.[$*]'
	@touch $@
