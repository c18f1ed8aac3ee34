"""The scores of the examples, stored, so that a change that is to move no score can show that it moves none.

Run from the root of the checkout, and again after a change that moves scores on purpose:

    python -m benchmarks.examples.scores

The signature, the seconds and the versions are left out: they say how a score was made, and not what it is.
"""

from __future__ import annotations

import json
import platform
from pathlib import Path
from typing import Any

from fas import Report, score_answers
from fas.core.answers.files import read_answers

ROOT = Path(__file__).resolve().parents[2]
STORED = Path(__file__).with_name("scores.json")
FILES = ("answers.jsonl", "answers_b.jsonl")
_HOW_IT_WAS_MADE = ("signature", "timing", "versions")
_COPIED = ("question", "prediction", "meta")


def scores_of(name: str) -> dict[str, Any]:
    """What the default profile makes of `examples/`*name* in fp32: its answers' records and its report, JSON-ready."""
    report: Report = score_answers(list(read_answers(ROOT / "examples" / name)), precision="fp32")
    answers = [
        {key: value for key, value in score.as_dict(5).items() if key not in _COPIED} for score in report.answers
    ]
    summary = {key: value for key, value in report.as_dict().items() if key not in _HOW_IT_WAS_MADE}
    return {"answers": answers, "report": summary}


def processor() -> str:
    """What decides how floating-point numbers are rounded here: the processor, and the vector instructions that are used."""
    import torch

    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8", errors="replace").splitlines() if info.is_file() else []
    read = dict(line.split(":", 1) for line in lines if ":" in line)
    own = {name.strip(): value.split() for name, value in read.items()}
    units = [flag for flag in ("avx512_bf16", "avx512_vnni", "amx_bf16") if flag in own.get("flags", ())]
    parts = [platform.machine(), torch.backends.cpu.get_cpu_capability(), *own.get("vendor_id", ()), *units]
    return " ".join(parts)


def as_text(scores: dict[str, Any]) -> str:
    """*scores* as JSON, a line an answer, numbers as they are."""
    answers = ",\n".join(map(_line, scores["answers"]))
    return f'{{"answers":[\n{answers}],\n"report":{_line(scores["report"])}}}'


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def main() -> None:
    """Store the scores."""
    files = (f"{_line(name)}:{as_text(scores_of(name))}" for name in FILES)
    STORED.write_text("{" + ",\n".join([f'"processor":{_line(processor())}', *files]) + "}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
