# make demo, make test: all a fresh machine needs is Python 3.11 or later and make.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin

.PHONY: demo test test-all check clean

demo: $(VENV)/.installed
	$(BIN)/fas score examples/answers.jsonl -o out --by type --overwrite

test: $(VENV)/.installed-test check
	HF_HUB_OFFLINE=1 $(BIN)/python -m pytest -q

test-all: $(VENV)/.installed-test check
	HF_HUB_OFFLINE=1 $(BIN)/python -m pytest -q -m ""

check: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/mypy --config-file tests/mypy.ini

# torch first, so that nothing else pulls in a build with GPU libraries.
$(VENV)/.installed: pyproject.toml setup.cfg constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade pip
	$(BIN)/pip install --quiet -c constraints.txt torch
	$(BIN)/pip install --quiet -c constraints.txt -e .
	touch $@

$(VENV)/.installed-test: $(VENV)/.installed
	$(BIN)/pip install --quiet -c constraints.txt -e ".[test]"
	touch $@

clean:
	rm -rf $(VENV) out build *.egg-info
