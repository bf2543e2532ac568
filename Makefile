# Two commands do all: `make run` plays a simulated table with the live page, `make test` passes every test.

# Debian's own Python where it is new enough: it is built for speed, as those that people compile for themselves are not.
PYTHON ?= $(shell /usr/bin/python3 -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& echo /usr/bin/python3 || echo python3)
# Compiled once, not by each of the many programs that the tests start.
export PYTHONDONTWRITEBYTECODE :=
# One more than there are processors: many tests wait for a browser or a service that they have started.
WORKERS ?= $(shell expr $$(nproc) + 1)
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready

.PHONY: setup run test check bench clean system install uninstall rollback lock audit

run: setup
	$(BIN)/tablectl sim

test: setup check
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

check: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: setup
	$(BIN)/python -m benchmarks

# A table for good, on the machine inside it (sudo make install); DESTDIR=, MODEL= and WHEELS= as in systemd/install.sh.
install uninstall rollback:
	@DESTDIR="$(DESTDIR)" sh systemd/install.sh $@

# requirements.lock anew, from what pyproject.toml allows.
lock: setup
	$(BIN)/python -m pip install -q --disable-pip-version-check uv
	$(BIN)/uv pip compile pyproject.toml --extra display --extra pi5 --universal --python-version 3.11 \
		--generate-hashes --upgrade -q --custom-compile-command 'make lock' -o requirements.lock

# Known weaknesses of what is in the lock (asks the vulnerability service of PyPI).
audit: setup
	$(BIN)/python -m pip install -q --disable-pip-version-check pip-audit
	$(BIN)/pip-audit -r requirements.lock --require-hashes --disable-pip --strict

setup: system $(STAMP)

# What Debian has to provide; says what is missing and goes on where it may not install.
system:
	@sh hardware/debian-packages.sh

# Tested is what a table gets: the versions of the lock.
$(STAMP): pyproject.toml requirements.lock
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@sed -n 's/^\([a-z0-9.-]*==[^ ]*\).*/\1/p' requirements.lock > $(VENV)/versions.txt
	$(BIN)/python -m pip install -q --disable-pip-version-check -c $(VENV)/versions.txt -e '.[dev,display]'
	@touch $@

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
