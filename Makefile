# make demo | test | lint | docs | compat | dist | compare | clean.  Needs make and a Python of 3.11 or later with its venv module.
# Another Python: make test PYTHON=python3.13.   Another place: make test VENV=some/folder.

VENV ?= .venv
# Files of tests stay together: what one test compiles or fits for its file, the next one finds.
PYTEST_FLAGS ?= -n 2 --dist worksteal

# The first of these that is new enough; a PYTHON that the caller names is taken as it is.
CANDIDATES := python3 python3.14 python3.13 python3.12 python3.11
NEW_ENOUGH := 'import sys; sys.exit(sys.version_info < (3, 11))'
ifeq ($(origin PYTHON),undefined)
FOUND := $(foreach p,$(CANDIDATES),$(shell $(p) -c $(NEW_ENOUGH) 2>/dev/null && echo $(p)))
PYTHON := $(firstword $(FOUND) python3)
endif

BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed-
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check --no-compile

# pip compiles nothing, so modules are kept as bytecode when they are first imported. Where images of
# containers forbid that, each process that a test starts would compile 7 s of them again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test oldest compat dist lint docs compare clean
help:
	@echo "make demo   spoil labels of a real data set, audit it, and count what was found"
	@echo "make test   run the tests"
	@echo "make oldest run the tests with the oldest releases that are allowed"
	@echo "make compat run a quick part of the tests with them"
	@echo "make dist   build sdist and wheel into dist/, check them, and use the wheel alone"
	@echo "make lint   check style and types"
	@echo "make docs   build the site into docs/_build/html; every example is run, warnings are errors"
	@echo "make compare   time fits beside those of the last release, or of BASE=COMMIT"
	@echo "make clean  remove the environment and what the tools left"

demo: $(INSTALLED)baselines
	@$(BIN)/csvor demo --data esl

# Threads of OpenMP that wait let others work: there are as many processes as cores.
test: $(INSTALLED)test
	@OMP_WAIT_POLICY=passive $(BIN)/python -m pytest $(PYTEST_FLAGS)

# The oldest releases that pyproject.toml allows, in an environment of their own.
oldest: .venv-oldest.txt
	@PIP_CONSTRAINT=$(CURDIR)/.venv-oldest.txt $(MAKE) --no-print-directory test VENV=.venv-oldest

# Containers, readers, models, audits and pages: what leans on other packages most.
QUICK := $(addprefix tests/test_,cases_containers.py cli_predict.py cli_workbook.py compile.py \
  decisions.py formula.py plots_displays.py reader_files.py sparse.py table_encoder.py versions.py)
compat:
	@$(MAKE) --no-print-directory oldest PYTEST_FLAGS="$(PYTEST_FLAGS) $(QUICK)"

# A wheel that works here may lack a file, or lean on a package that it does not name.
dist: $(INSTALLED)release
	@rm -rf dist
	@$(BIN)/python -m build
	@$(BIN)/twine check --strict dist/*
	@$(BIN)/python tests/alone.py dist/*.whl

.venv-oldest.txt: pyproject.toml tests/oldest.py
	@$(PYTHON) tests/oldest.py > $@

lint: $(INSTALLED)lint
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

docs: $(INSTALLED)docs
	@$(BIN)/python -m sphinx -b html -W -n --keep-going -q docs docs/_build/html
	@echo "docs/_build/html/index.html"

# COMPARE_FLAGS takes --rounds and --only.
compare: $(INSTALLED)bench
	@$(BIN)/python benchmarks/compare.py $(COMPARE_FLAGS) $(BASE)

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist
	rm -rf docs/_build docs/generated docs/auto_examples docs/sg_execution_times.rst
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

# One environment, one stamp for each extra (several at once have commas between them), renewed when
# pyproject.toml changes.
, := ,
$(INSTALLED)%: pyproject.toml $(VENV)/.created
	@echo "Installing csvor with its extra '$*' into $(VENV) ..."
	@$(PIP) -e '.[$*]'
	@touch $@ $(addprefix $(INSTALLED),$(subst $(,), ,$*))

$(VENV)/.created:
	@$(PYTHON) -c $(NEW_ENOUGH) 2>/dev/null || { echo "csvor needs Python 3.11 or later and '$(PYTHON)' is not one: install it, or name it with PYTHON=/path/to/python3" >&2; exit 1; }
	@echo "Creating the environment $(VENV) with $$($(PYTHON) --version) ..."
	@$(PYTHON) -m venv $(VENV)
	@touch $@
