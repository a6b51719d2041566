# Every target sets up what it needs in .venv, so each works as the first command in a fresh clone.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: help solve serve test test-ray test-browser bench fuzz lint docs clean

help: ## List the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

$(READY): pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo "make needs $(PYTHON): install it, or name another from 3.11 on, as in PYTHON=python3.13"; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $(READY)

solve: $(READY) ## Solve a few problems that come with the project
	$(BIN)/scratchwork solve

serve: $(READY) ## Serve the page and open it in a browser
	$(BIN)/scratchwork serve --open

test: $(READY) ## Run all tests
	$(BIN)/python -m pytest -n auto --ignore=tests/ray --ignore=tests/browser

test-ray: $(READY) ## Run the tests on a real Ray of two nodes
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[ray]'
	$(BIN)/python -m pytest tests/ray

test-browser: $(READY) ## Use the page in a headless Chromium (SCRATCHWORK_SCREENSHOTS=1 to keep pictures)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[browser,serve]'
	$(BIN)/python -m pytest tests/browser -rs

bench: $(READY) ## Measure speed and memory, as ratios within one run
	$(BIN)/python -m benchmarks

fuzz: $(READY) ## Throw random input at what reads, and kill what writes (FUZZ_EXAMPLES=n, FUZZ_MOMENTS=n to bound it)
	SCRATCHWORK_FUZZ_MOMENTS=$${FUZZ_MOMENTS:-20} $(BIN)/python -m pytest tests/test_writing_commands.py
	SCRATCHWORK_FUZZ_EXAMPLES=$${FUZZ_EXAMPLES:-200000} $(BIN)/python -m pytest -n auto tests/machine/test_fuzz.py tests/test_fuzz.py

lint: $(READY) ## Check style and types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright

docs: $(READY) ## Build the pages of docs/ as a site in build/site, and check their links
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[docs]'
	$(BIN)/mkdocs build

clean: ## Remove the virtual environment and caches
	rm -rf $(VENV) build/site .pytest_cache .ruff_cache .hypothesis
