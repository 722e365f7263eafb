# Everything is set up on first use: a virtual environment in the checkout, nothing else than python3 and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
JOBS ?= 2
# Tests start hundreds of programs, and each would compile the same files again.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo test check check-fast bench docs clean

$(BIN)/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	# for its adapter's test; alone, since what else it installs (litellm, datasets) are 700 MB that its core does not use
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt --no-deps mini-swe-agent
	$(BIN)/python -m compileall -q src
	@touch $@

demo: $(BIN)/.ready  ## the whole loop on a simulated fleet
	$(BIN)/afterglow demo --output demo-out

test: $(BIN)/.ready check  ## everything: style, types, tests
	$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup

check: $(BIN)/.ready  ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

check-fast: $(BIN)/.ready  ## style, types and the quick tests: under a minute, for daily work
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup -m 'not slow' -q

bench: $(BIN)/.ready  ## speed, memory and quality on simulated data; see bench/README.md
	$(BIN)/python -m bench.scan
	$(BIN)/python -m bench.harvest
	$(BIN)/python -m bench.miners
	$(BIN)/python -m bench.fleet
	$(BIN)/python -m bench.knowledge
	$(BIN)/python -m bench.bootstrap
	$(BIN)/python -m bench.replay
	$(BIN)/python -m bench.measure
	$(BIN)/python -m bench.memory
	$(BIN)/python -m bench.hooks
	$(BIN)/python -m bench.mcp

docs: $(BIN)/.ready  ## the guide as pages that need no server: site/index.html
	$(BIN)/python -m mkdocs build --strict --quiet

clean:
	rm -rf $(VENV) demo-out bench/out site
