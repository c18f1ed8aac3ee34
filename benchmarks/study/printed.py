"""What the study printed, what follows from it, and where it does not fit together.

The numbers are those of its tables 1 to 5, its section 5.3, abstract and conclusion (file
`printed.json`: shares as fractions, intervals as limits). The checks compute with nothing but
these numbers and the study's own formula.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from fas.bench.formats import NONE, Cell, TableColumn, Form, ResultTable
from fas.core.profile import Weights
from fas.stats.bootstrap import Estimate

_W = Weights()


class Check(NamedTuple):
    """A statement about the study's numbers.

    Attributes:
        fits: Whether the numbers agree.
        text: What was compared, with the numbers.
    """

    fits: bool
    text: str


class Beside(NamedTuple):
    """A printed number and a measured one; None where there is none."""

    label: str
    study: Estimate | float | None
    here: Estimate | float | None


@lru_cache(maxsize=1)
def printed() -> Mapping[str, Any]:
    """The printed numbers."""
    found: dict[str, Any] = json.loads(Path(__file__).with_name("printed.json").read_text(encoding="utf-8"))
    return found


def implied_bertscore(fas: float, support: float, contra: float) -> float:
    """The BERTScore that FAS = 0.3 BERTScore + 0.4 Support + 0.3 (1 - Contra) leaves.

    >>> round(implied_bertscore(0.612, 0.712, 0.134), 3)
    0.225
    """
    return (fas - _W.support * support - _W.no_contradiction * (1 - contra)) / _W.bertscore


def implied_bertscores() -> ResultTable:
    """BERTScore implied by tables 2 and 3, as a range where table 2 prints no contradiction.

    Where Contra@5 is not printed it lies between 0 and 1 - Support@5. The limits are those that the
    rounding of the printed numbers allows.
    """
    rows: list[tuple[Cell, ...]] = []
    for dataset in ("BioASQ", "PubMedQA"):
        for model in printed()["models"]:
            fas, support = printed()["fas"][dataset][model][0], printed()["support"][dataset][model][0]
            contra = printed()["contra"].get(dataset, {}).get(model)
            limits = (contra[0] - 0.0005, contra[0] + 0.0005) if contra else (0.0, 1 - support)
            low = implied_bertscore(fas - 0.0005, support + 0.0005, limits[0])
            high = implied_bertscore(fas + 0.0005, support - 0.0005, limits[1])
            value = implied_bertscore(fas, support, contra[0]) if contra else float("nan")
            middle = "–" if contra is None else f"{value:.3f}"
            rows.append((dataset, model, f"{fas:.3f}", f"{support:.1%}", f"{contra[0]:.1%}" if contra else "–",
                         middle, f"{low:.3f} to {high:.3f}"))  # fmt: skip
    names = ("data set", "model", "FAS", "Support@5", "Contra@5", "implied BERTScore", "possible")
    return ResultTable(
        "implied_bertscore",
        "The BERTScore that the study's tables 2 and 3 imply",
        tuple(TableColumn(name, "text") for name in names),
        tuple(rows),
        (
            "(FAS − 0.4 Support − 0.3 (1 − Contra)) / 0.3 from the printed numbers. Possible: within their rounding, "
            "and for any Contra@5 from 0 to 1 − Support@5 where none is printed.",
        ),
        plot="none",
    )


def checks() -> Iterator[Check]:
    """Which of the study's numbers fit together, computed from them."""
    p = printed()
    bio = {
        model: (p["fas"]["BioASQ"][model][0], p["support"]["BioASQ"][model][0], p["contra"]["BioASQ"][model][0])
        for model in p["models"]
    }
    implied = {model: implied_bertscore(*values) for model, values in bio.items()}
    shown = ", ".join(f"{value:.2f} for {model}" for model, value in implied.items())
    yield Check(
        min(implied.values()) > 0.5,
        f"Tables 2 and 3 with the study's formula imply these BERTScores on BioASQ: {shown}. Without rescaling, as the "
        "study says it is, so low an F1 means texts that have nothing in common; we expect more than 0.5 of fluent "
        "answers on the topic.",
    )
    left = [1 - support - contra for _, support, contra in bio.values()]
    stated = p["abstract"]["unsupported"]
    yield Check(
        _near(min(left), stated[0]) and _near(max(left), stated[1]),
        f"The abstract says {_range(stated, 0)} of claims are unsupported; Table 2 leaves "
        f"{_range((min(left), max(left)))} on BioASQ, the only data set with both columns (1 − Support − Contra).",
    )
    contra = [values[2] for values in bio.values()]
    against = p["abstract"]["contradicted"]
    yield Check(
        _near(min(contra), against[0]) and _near(max(contra), against[1]),
        f"The abstract's range of contradicted claims ({_range(against)}) is that of Table 2 on BioASQ; its upper end "
        "is the copied-abstract baseline, not a generative model.",
    )
    concluded = p["conclusion"]["unsupported"]
    yield Check(
        _near(concluded[0], stated[0]) and _near(concluded[1], stated[1]),
        f"The conclusion says {_range(concluded, 0)} of claims are unsupported, the abstract {_range(stated, 0)}. The "
        f"conclusion's range is the abstract's range of contradicted claims ({_range(against)}).",
    )
    bleu, rouge = p["correlation"]["bleu4"], p["correlation"]["rougeL"]
    low, high = p["conclusion"]["lexical_correlation"]
    yield Check(
        _near(min(bleu, rouge), low) and _near(max(bleu, rouge), high),
        f"The conclusion gives lexical metrics a correlation of {low:.2f} to {high:.2f}; section 5.3 prints "
        f"{bleu:.2f} (BLEU-4) and {rouge:.2f} (ROUGE-L), and {high:.2f} stands nowhere else.",
    )
    types = p["types"].values()
    for name, title in (("support", "Support@5"), ("contra", "Contra@5")):
        weighted = sum(kind["n"] * kind[name] for kind in types) / sum(kind["n"] for kind in types)
        total = p[name]["BioASQ"]["Llama-2-13B"][0]
        yield Check(
            _near(weighted, total, 0.001),
            f"Section 5.3's {title} by type, weighted by 157, 138 and 197 questions, average {weighted:.1%}; Table 2 "
            f"prints {total:.1%} for the same model.",
        )
    widths = {
        dataset: {round(v[2] - v[1], 3) for metric in ("rougeL", "fas") for v in p[metric][dataset].values()}
        for dataset in p["fas"]
    }
    yield Check(
        all(len(width) > 1 for width in widths.values()),
        "Tables 1 and 3 print one half-width per data set (0.013, 0.012, 0.016) for all four models and for two "
        "different metrics; a bootstrap over answers gives each model and metric a width of its own.",
    )


def remarks() -> tuple[str, ...]:
    """What a reader should know of the study beyond arithmetic."""
    p = printed()
    best = max(p["threshold"], key=lambda t: float(p["threshold"][t][0]))
    return (
        f"The threshold {best} was chosen as the best of five on MedLFQA (Table 5), and the headline correlation "
        f"{p['correlation']['fas']:.2f} is reported on the same answers.",
        "PubMedQA's 500 instances are said to be evenly split into three answers, which 500 does not allow; the "
        "published test set has 276 yes, 169 no and 55 maybe.",
        "The abstract counts four open-source models; section 4 has three that generate, and an encoder that copies "
        "the source abstract. BioASQ and MedLFQA have no source abstract, yet the tables print its scores there.",
        "The verifier 'dmis-lab/biobert-large-nli-v1.1' is not a published checkpoint; the published one is "
        "'biobert-large-cased-v1.1-mnli'.",
        "The flag rates of 4% to 7% in the conclusion are in no table.",
        "Gold was derived from the statements of the set's own reference answers, and FAS contains BERTScore against "
        "those answers: part of its correlation with gold is one source meeting itself.",
    )


def beside(title: str, name: str, rows: Sequence[Beside], *, form: Form = "signed") -> ResultTable:
    """A table of printed numbers beside measured ones.

    Args:
        title: Title.
        name: Stem of its files.
        rows: What is compared.
        form: How values are written.
    """
    return ResultTable(
        name,
        title,
        (TableColumn("", "text"), TableColumn("study", form), TableColumn("here", form)),
        tuple((row.label, _cell(row.study), _cell(row.here)) for row in rows),
        plot="none",
    )


def printed_estimate(value: Sequence[float]) -> Estimate:
    """A printed value with its printed limits; the number of answers behind it is not printed."""
    return Estimate(value[0], value[1], value[2], 0)


def _cell(value: Estimate | float | None) -> Cell:
    return NONE if value is None else value


def _near(a: float, b: float, by: float = 0.006) -> bool:
    return abs(a - b) <= by


def _range(pair: Sequence[float], decimals: int = 1) -> str:
    return f"{pair[0]:.{decimals}%} to {pair[1]:.{decimals}%}"
