# `make demo`, `make quick` and `make test` are all a newcomer needs; each makes the environment first.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
# Tests start hundreds of processes, which need not compile the same files again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo quick test check coverage soak metamorphic fuzz mutants browser postgres spark shells test-lowest test-newest \
        sizes package changelog bench validity study map figures engines docs notebooks screenshots lock clean
.DEFAULT_GOAL := demo

demo: $(VENV)/base
	$(BIN)/referee demo

# Some tests of every room, in a minute.
quick: $(VENV)/ready
	$(BIN)/python -m pytest @tests/quick.txt

# Everything, in a quarter of an hour on two idle cores.
test: check browser postgres spark shells
	$(BIN)/python -m pytest -n 2 --dist worksteal

# The lines of each room that `make quick` runs, in percent; fewer than 70 fail.
coverage: $(VENV)/ready
	$(BIN)/coverage run --source src/referee -m pytest @tests/quick.txt
	@for face in src/referee/*/__init__.py; do \
	  room=$$(dirname $$face); printf '%-32s' $$room; \
	  $(BIN)/coverage report --include="$$room/*" --format=total --fail-under=70 || few=1; \
	done; exit $${few:-0}

# Mistakes put into the code, one at a time: benchmarks/reliability/mutants.json; goes on where it was stopped.
mutants: $(VENV)/ready
	nice -n 19 $(BIN)/python -m benchmarks.mutants

# The same at length, with other examples each time: runs that are killed again and again, long searches of Hypothesis.
soak: $(VENV)/ready
	$(BIN)/python -m pytest -n 2 --dist worksteal --hypothesis-profile soak -m "soak or hypothesis" tests

# The tests with the lowest and the newest versions that pyproject.toml allows, in environments of their own:
# docs/versions.md. `make test-lowest QUICK=1 ON=python3.12` runs the quick tests on another Python.
ON ?= $(PYTHON)
test-lowest test-newest: test-%: $(VENV)/ready $(VENV)-lock/bin/uv
	QUICK=$(QUICK) $(BIN)/python -m benchmarks.versions $* $(ON) $(VENV)-lock/bin/uv

# What the package and each extra take on the disk and of pip's time: docs/sizes.md.
sizes: $(VENV)/ready
	$(BIN)/python -m benchmarks.sizes

# The wheel and the source distribution, in dist/.
package: $(VENV)/ready
	$(BIN)/python -m hatchling build

# The notes of changes/ become the first ones of CHANGELOG.md.
changelog: $(VENV)/ready
	$(BIN)/python changes/join.py

# Everything printed, for every metric, relation, engine and kind of weights: a quarter of an hour of an idle core.
metamorphic: $(VENV)/ready
	$(BIN)/python -m benchmarks.reliability.metamorphic
	$(BIN)/python -m benchmarks.reliability

# Random tables through every command for an hour, then five minutes of Atheris (Linux) for each target.
fuzz: $(VENV)/ready
	$(BIN)/python -m benchmarks.reliability.fuzz --first $$(date +%s)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-fuzz.lock || \
	  echo "no Atheris here: it has wheels for Linux"
	$(BIN)/python -m benchmarks.reliability.guided --seconds 300

check: $(VENV)/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/codespell

# What tests need beside Python: Debian's packages, where they can be installed; else those tests say what is missing.
apt = { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && \
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq -o DPkg::Lock::Timeout=300 --no-install-recommends $(1) >/dev/null; } || \
  echo "missing here: install Debian's $(1)"

# Chromium for the tests of the pages; Chrome will do, too.
browser: $(VENV)/ready
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || \
	  $(call apt,chromium)

# A server for the tests of PostgreSQL, which they start and stop themselves.
postgres:
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null || $(call apt,postgresql)

# PySpark (400 MB, once) and Java for the tests of Spark.
spark: $(VENV)/ready
	@$(BIN)/python -c 'import pyspark' 2>/dev/null || \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-spark.lock || \
	  echo "no PySpark here: pip install 'referee[spark]'"
	@command -v java >/dev/null || $(call apt,openjdk-17-jre-headless)

# The shells whose completion is tested.
shells:
	@{ command -v zsh && command -v fish; } >/dev/null || $(call apt,zsh fish)

# Public calls beside their peers, in about 20 minutes: docs/speed.md. `python -m benchmarks NAME` measures one part.
bench: $(VENV)/ready
	$(BIN)/python -m benchmarks

# Three hours on two idle cores; a run that was stopped goes on where it was.
validity: $(VENV)/ready
	$(BIN)/python -m benchmarks.validity

# The paper's experiment, and its trees beside Weka's: two minutes.
study: $(VENV)/ready
	$(BIN)/python docs/study/make.py
	$(BIN)/python docs/study/trees.py

# What choosing by each metric costs on few rows, and the prior of the selection index: a quarter of an hour on two cores.
map: $(VENV)/ready
	$(BIN)/python docs/study/map.py

# How large the house is: docs/house.md.
figures: $(VENV)/ready
	$(BIN)/python -m benchmarks.house

# Every metric in memory and on each engine: docs/engines.md, in ten minutes, most of them Spark's.
engines: $(VENV)/ready postgres spark
	$(BIN)/python -m benchmarks.engines

# The site, in build/site: every page from docs/, the entries and the docstrings, every link checked; two minutes.
docs: $(VENV)/docs
	$(BIN)/python docs/site/make.py

# The notebooks run again, with what they show kept in them.
notebooks: $(VENV)/docs
	$(BIN)/python docs/site/notebooks.py

screenshots: $(VENV)/ready browser
	$(BIN)/python -m tests.browser.screenshots

# The locks hold hashes for every platform and name no index: pip uses the one it is set up for. The first has what a
# verdict needs, and Numba; the second, with the same versions, also the extras and what tests need.
$(VENV)/base: requirements-base.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "referee needs Python 3.11 or newer: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-base.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@

$(VENV)/ready: $(VENV)/base requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	touch $@

# What only the site and the notebooks need, at the versions that suit the other lock.
$(VENV)/docs: $(VENV)/ready requirements-docs.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-docs.lock
	touch $@

$(VENV)-lock/bin/uv:
	$(PYTHON) -m venv $(VENV)-lock
	$(VENV)-lock/bin/python -m pip install --quiet uv

lock: $(VENV)-lock/bin/uv
	$(VENV)-lock/bin/uv pip compile pyproject.toml --extra all --group test --group check --group build --universal \
	  --python-version 3.11 --generate-hashes --no-header --no-annotate --upgrade -o requirements.lock
	$(VENV)-lock/bin/uv pip compile pyproject.toml --extra fast --group build --constraint requirements.lock --universal \
	  --python-version 3.11 --generate-hashes --no-header --no-annotate --upgrade -o requirements-base.lock
	$(VENV)-lock/bin/uv pip compile --group docs --constraint requirements.lock --universal \
	  --python-version 3.11 --generate-hashes --no-header --no-annotate --upgrade -o requirements-docs.lock

clean:
	rm -rf $(VENV) $(VENV)-lock demo .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage dist build
