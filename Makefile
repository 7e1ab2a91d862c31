# Everything sets itself up in .venv. Nothing else is touched, but that `browser`, `postgres`, `proxy` and `engine` install
# Debian's chromium, PostgreSQL server, nginx and Toga II if they can.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

.PHONY: reproduce browser postgres proxy engine test lint types docs figures bench format dist clean
.DEFAULT_GOAL := test

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@

reproduce: $(STAMP)
	$(BIN)/steelyard reproduce --quick

browser:
	tools/ensure_chromium.sh

postgres:
	tools/ensure_postgres.sh

proxy:
	tools/ensure_nginx.sh

# After the others: two installations at a time would lock each other out.
engine: browser postgres proxy
	tools/ensure_toga.sh

test: $(STAMP) engine
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
