"""What every test may rely on: no hub, no shared caches, fixed places for data."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import chromium
import pytest
from hypothesis import HealthCheck, settings

# Read by evaluate, datasets and huggingface_hub when they are first imported.
_HOME = tempfile.mkdtemp(prefix="fas-tests-")
os.environ.update(
    HF_EVALUATE_OFFLINE="1",
    HF_HUB_OFFLINE="1",
    HF_DATASETS_OFFLINE="1",
    HF_HOME=f"{_HOME}/hf",
    HF_MODULES_CACHE=f"{_HOME}/hf/modules",
    FAS_CACHE_DIR=f"{_HOME}/cache",
    TOKENIZERS_PARALLELISM="false",
    MPLBACKEND="agg",
)
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ["OMP_NUM_THREADS"] = "1"  # a worker for each core
for name in (
    "NCBI_API_KEY",
    "NCBI_EMAIL",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "FAS_ENTREZ_URL",
    "FAS_RXNAV_URL",
    "FAS_PRICES",
    "FAS_DEBUG",
):
    os.environ.pop(name, None)

ROOT = Path(__file__).resolve().parents[1]

# The same examples on every machine, and no clock: a busy machine is no failure of the code.
settings.register_profile(
    "fas",
    max_examples=100 if "FAS_FUZZ" in os.environ else 30,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
)
settings.load_profile("fas")

# A worker takes whole files, in this order: the longest first, so that none is left for the end.
LONGEST = (
    "integrations/service/test_service.py",
    "system/test_examples_scores.py",
    "stats/test_paired.py",
    "pipeline/runs/test_processes.py",
    "system/test_killed_runs.py",
    "pipeline/runs/test_scorer_held.py",
    "llm/test_load.py",
    "models/test_precision.py",
    "docs/test_doctests.py",
    "bench/test_tables.py",
    "bench/test_real.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sort the longest files to the front; every other test keeps its place."""
    rank = {ROOT / "tests" / file: number for number, file in enumerate(LONGEST)}
    items.sort(key=lambda item: rank.get(item.path, len(rank)))


@pytest.fixture(autouse=True)
def _secrets_of_one_test(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys that a test names are taken out of the texts of that test alone."""
    from fas.core.guards import redaction

    monkeypatch.setattr(redaction, "_known", set(redaction._known))
    monkeypatch.setattr(redaction, "_pattern", redaction._pattern)


@pytest.fixture(scope="session")
def root() -> Path:
    """The folder of the checkout."""
    return ROOT


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of the development data; tests that need it are skipped where it is absent."""
    folder = Path(os.environ.get("FAS_DATA_DIR", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no development data at {folder} (set FAS_DATA_DIR)")
    return folder


@pytest.fixture
def fresh_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder of the test's own."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("FAS_CACHE_DIR", str(folder))
    return folder


@pytest.fixture
def percentiles(monkeypatch):
    """Percentile intervals at every size, so that a plain loop over the same draws can be the oracle."""
    from fas.stats import intervals

    for name in ("PERCENTILE_FROM", "FEWEST", "FEWEST_OF_STATISTICS"):
        monkeypatch.setattr(intervals, name, 2)
    for name in ("FEW_EVENTS", "PSEUDO"):
        monkeypatch.setattr(intervals, name, 1e-12)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[chromium.Page]:
    """A page of a browser, for the tests of one module."""
    if chromium.BINARY is None:
        pytest.skip("no Chromium on this machine")
    tab = chromium.Page(tmp_path_factory.mktemp("chromium"))
    yield tab
    tab.close()
