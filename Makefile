# make demo: set up and solve a small problem. make test: set up and run every check.
# make experiments: every figure and table of the paper and more, hours; -quick: the same, tiny.
# make bench: ratios of speed; BENCH=full goes up to a million items. make quality: F-scores.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

# Many small products run side by side; threads of BLAS would only get in each other's way.
export OPENBLAS_NUM_THREADS ?= 1

.PHONY: demo test lint docs experiments experiments-quick bench quality clean

EXPERIMENTS := illustration house willow partial binary gmm beyond

demo: .venv/.ready
	$(BIN)/python examples/demo.py

test: lint
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal

lint: .venv/.ready-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: .venv/.ready-dev
	$(BIN)/sphinx-build -W --keep-going -q -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

experiments: .venv/.ready-dev
	for name in $(EXPERIMENTS); do $(BIN)/python experiments/$$name.py || exit 1; done

experiments-quick: .venv/.ready-dev
	for name in $(EXPERIMENTS); do $(BIN)/python experiments/$$name.py --quick --fresh || exit 1; done

bench: .venv/.ready-dev
	$(BIN)/python benchmarks/bench_power.py
	$(BIN)/python benchmarks/bench_coordinate.py $(if $(filter full,$(BENCH)),,--quick)

quality: .venv/.ready-dev
	$(BIN)/python benchmarks/bench_quality.py

clean:
	rm -rf .venv demo-output docs/_build docs/gallery docs/api/generated

.venv/.ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(PIP) --editable '.[plot]'
	touch $@

.venv/.ready-dev: pyproject.toml
	$(PYTHON) -m venv .venv
	$(PIP) --editable '.[dev]'
	touch $@ .venv/.ready
