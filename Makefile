# Two commands do all: `make run` plays a simulated table with the live page, `make test` passes every test.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready

.PHONY: setup run test check bench clean system

run: setup
	$(BIN)/tablectl sim

test: setup check
	$(BIN)/python -m pytest -n auto --dist loadfile

check: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: setup
	$(BIN)/python -m benchmarks

setup: system $(STAMP)

# What Debian has to provide; says what is missing and goes on where it may not install.
system:
	@sh hardware/debian-packages.sh

$(STAMP): pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[dev,display]'
	@touch $@

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
