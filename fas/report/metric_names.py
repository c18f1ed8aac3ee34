"""What metrics are called on pages, and which end of them is better."""

from __future__ import annotations

from fas.core.records.stored import metric_field

METRIC_NAMES = {
    "fas": ("Fact-Aligned Score", "higher is better"),
    "fas_evidence": ("FAS without its reference part", "higher is better"),
    "support": ("Share of claims supported", "higher is better"),
    "contra": ("Share of claims contradicted", "lower is better"),
    "unsupported": ("Share of claims without support", "lower is better"),
    "rouge1": ("ROUGE-1 F1", "higher is better"),
    "rouge2": ("ROUGE-2 F1", "higher is better"),
    "rougeL": ("ROUGE-L F1", "higher is better"),
    "bleu4": ("BLEU-4", "higher is better"),
    "bertscore_f1": ("BERTScore F1", "higher is better"),
    "coverage": ("Share of the reference's statements that are said", "higher is better"),
    "coverage_nice": ("Share of the statements that may be said", "higher is better"),
    "omitted": ("Share of the reference's statements left out", "lower is better"),
    "denied": ("Share of the reference's statements contradicted", "lower is better"),
    "omitted_harm": ("Share of possible harm on statements not said", "lower is better"),
    "fas_f1": ("Harmonic mean of support and coverage", "higher is better"),
}


def is_better_high(metric: str) -> bool | None:
    """Whether a higher value of *metric* is better; None where neither end is (safety flags, unknown metrics)."""
    direction = METRIC_NAMES.get(metric_field(metric), ("", ""))[1]
    return direction == "higher is better" if direction else None
