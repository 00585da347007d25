# make demo: set up, and leave pages about a photograph and records in demo-output/. make test: set up and run every check.
# make check: the same without slow tests, one to two minutes, for a change in hand.
# make oldest, make newest: every test with the oldest promised and the newest releases.
# make experiments: every figure and table of the paper and more, hours; -quick: the same, tiny.
# make fuzz: 10,000 damaged files, as much odd input, and laws; FUZZ sets the number. make fuzz-guided:
# readers are given what reaches new code in them, for SECONDS seconds each (needs atheris).
# make wheel: a wheel for this Python and platform in dist/, with machine code.
# make mutate: small changes of the numerical core that no quick test notices; MODULES names some.
# make bench: ratios of speed; BENCH=full goes up to a million items. make quality: F-scores.
PYTHON ?= python3
BIN := .venv/bin
PIP := python -m pip install --quiet --disable-pip-version-check
ALL := --editable '.[cells,dask,hloc,neighbors,plot,rivals,scale,tables]'
PYTEST := python -m pytest --numprocesses auto --dist worksteal

# The oldest Python that pyproject.toml promises, and the newest on the path or in pyenv.
OLDEST ?= python3.11
NEWEST ?= $(shell PATH="$$(ls -d ~/.pyenv/versions/3.*/bin 2>/dev/null | sort -rV | tr '\n' ':')$$PATH"; \
	for v in 15 14 13 12 11; do command -v python3.$$v && break; done)

# Many small products run side by side; threads of BLAS would only get in each other's way.
export OPENBLAS_NUM_THREADS ?= 1

# With compiled tests, workers need not rewrite the assertions of all of them at every start.
export PYTHONDONTWRITEBYTECODE :=

# Editable installations hold no machine code, so their builds need no dependencies.
export SPHERELAX_PURE := 1

.PHONY: demo test check lint oldest newest docs experiments experiments-quick bench quality clean
.PHONY: fuzz fuzz-guided mutate wheel

EXPERIMENTS := illustration house willow partial binary gmm beyond

demo: .venv/.ready
	$(BIN)/python examples/demo.py

test: lint
	$(BIN)/$(PYTEST)

check: lint
	$(BIN)/$(PYTEST) -m 'not slow'

lint: .venv/.ready-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

fuzz: .venv/.ready-dev
	SPHERELAX_FUZZ=$(or $(FUZZ),10000) $(BIN)/$(PYTEST) tests/test_fuzz.py tests/test_laws.py

fuzz-guided: .venv/.ready-dev
	$(BIN)/$(PIP) atheris
	for name in edges pairs points npy npz mtx parquet result; do \
		PYTHONPATH=tests $(BIN)/python -m fuzzing.guided $$name -max_total_time=$(or $(SECONDS),60) || exit 1; \
	done

mutate: .venv/.ready-dev
	$(BIN)/python tests/mutate.py $(MODULES)

oldest: .venv-oldest/.ready
	NUMBA_CACHE_DIR=$(CURDIR)/.venv-oldest/numba .venv-oldest/bin/$(PYTEST)

newest:
	$(NEWEST) -m venv --clear .venv-newest
	.venv-newest/bin/$(PIP) --upgrade pip
	.venv-newest/bin/$(PIP) $(ALL) --group test
	.venv-newest/bin/$(PIP) --upgrade pandas # recordlinkage 0.16 asks for pandas 2
	NUMBA_CACHE_DIR=$(CURDIR)/.venv-newest/numba .venv-newest/bin/$(PYTEST)

docs: .venv/.ready-dev
	$(BIN)/sphinx-build -W --keep-going -q -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

wheel: .venv/.ready-dev
	SPHERELAX_PURE= $(BIN)/python -m hatchling build --target wheel --directory dist

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
	rm -rf .venv .venv-oldest .venv-newest demo-output docs/_build docs/gallery docs/api/generated

.venv/.ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/$(PIP) --editable '.[plot]'
	touch $@

.venv/.ready-dev: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/$(PIP) --upgrade pip # groups of dependencies need 25.1
	$(BIN)/$(PIP) $(ALL) --group dev
	touch $@ .venv/.ready

# Every lower bound in pyproject.toml, as an equality. Matplotlib 3.9 calls names that pyparsing 3.3
# has deprecated, and warnings are errors.
.venv-oldest/.ready: pyproject.toml
	$(OLDEST) -m venv --clear .venv-oldest
	.venv-oldest/bin/$(PIP) --upgrade pip
	grep -oE '[a-z-]+>=[0-9.]+' pyproject.toml | sed 's/>=/==/' > .venv-oldest/floors.txt
	echo 'pyparsing<3.3' >> .venv-oldest/floors.txt
	.venv-oldest/bin/$(PIP) --constraint .venv-oldest/floors.txt $(ALL) --group test
	touch $@
