# Everything is set up on first use: a virtual environment in the checkout, nothing else than python3 and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
JOBS ?= 2

.PHONY: demo test check bench clean

$(BIN)/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	$(BIN)/python -m compileall -q src
	@touch $@

demo: $(BIN)/.ready  ## the whole loop on a simulated fleet
	$(BIN)/afterglow demo --output demo-out

test: $(BIN)/.ready check  ## everything: style, types, tests
	$(BIN)/python -m pytest -n $(JOBS)

check: $(BIN)/.ready  ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(BIN)/.ready  ## speed and memory, as ratios in one run; see bench/README.md
	$(BIN)/python -m bench.scan

clean:
	rm -rf $(VENV) demo-out bench/out
