"""Benchmarks: loaders of the owners' files, gold, controlled corruption, generation.

    >>> names()
    ['aggrefact', 'askdocs', 'bioasq', 'calmqa', 'choices', 'factscore', 'kqa', 'medlfqa', 'mirage', 'pubmedqa']

The package ships and downloads no data: each benchmark reads a folder, and names a missing file and where its owners
publish it.
"""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from pathlib import Path

from fas.bench.dataset import Benchmark, Candidate, Item
from fas.core.errors import InputError

__all__ = ["Benchmark", "Candidate", "Item", "benchmark", "describe_benchmarks", "names"]

_LOADERS = {
    "aggrefact": "fas.bench.aggrefact:AggreFact",
    "askdocs": "fas.bench.medscore:AskDocs",
    "bioasq": "fas.bench.bioasq:BioASQ",
    "calmqa": "fas.bench.medscore:CaLMQA",
    "choices": "fas.bench.mirage:Choices",
    "factscore": "fas.bench.factscore:FActScore",
    "kqa": "fas.bench.kqa:KQA",
    "medlfqa": "fas.bench.medlfqa:MedLFQA",
    "mirage": "fas.bench.mirage:Mirage",
    "pubmedqa": "fas.bench.pubmedqa:PubMedQA",
}


def names() -> list[str]:
    """Names that `benchmark` accepts, sorted."""
    return sorted(_LOADERS)


def benchmark(name: str) -> Benchmark:
    """The benchmark called *name*; a LookupError that lists the benchmarks where it is unknown."""
    if name not in _LOADERS:
        close = get_close_matches(name, _LOADERS, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ";"
        raise LookupError(f"no benchmark {name!r}{hint} available: {', '.join(names())}")
    module, attribute = _LOADERS[name].split(":")
    loaded: Benchmark = getattr(import_module(module), attribute)()
    return loaded


def describe_benchmarks(folder: Path | None = None) -> list[dict[str, str | None]]:
    """Name, title and rule of subsets of every benchmark, and what is missing in *folder* (`FAS_DATA_DIR`)."""
    from fas.bench.files import data_folder

    rows = []
    for name in names():
        bench, missing = benchmark(name), None
        try:
            next(iter(bench.items(data_folder(folder))))
        except InputError as error:
            missing = str(error)
        rows.append({"name": name, "title": bench.title, "missing": missing, "subset_rule": bench.subset_rule})
    return rows
