"""The little web page of an evaluate module (its `app.py`); needs gradio.

evaluate's own widget asks for parts of gradio that its releases from 4 on do not have.
"""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any

from fas.core.files.plain import parse_json_lines
from fas.integrations.evaluate_modules.location import module_path

_SINGULAR = {"prediction": "predictions", "reference": "references", "question": "questions"}


def compute_lines(metric: Any, text: str) -> dict[str, Any]:
    """The result of *metric* for answers written one JSON object a line.

    The keys are the metric's columns, in the singular or the plural: `prediction`, `references`, ...

    Raises:
        ValueError: A line is not a JSON object, or one has other keys than the first.
    """
    rows: list[dict[str, Any]] = []
    for number, row in parse_json_lines(text.encode().split(b"\n"), "answers"):
        rows.append({_SINGULAR.get(str(name), str(name)): value for name, value in row.items()})
        if set(rows[-1]) != set(rows[0]):
            raise ValueError(f"line {number}: its fields {sorted(rows[-1])} are not those of the first line")
    if not rows:
        raise ValueError("no answer: write one JSON object a line")
    result: dict[str, Any] = metric.compute(**{name: [row[name] for row in rows] for name in rows[0]})
    return result


def build(name: str, example: list[dict[str, Any]], *, config: str | None = None) -> Any:
    """The page of the module called *name*, with *example* filled in."""
    import evaluate

    gradio: Any = import_module("gradio")
    metric = evaluate.load(module_path(name), config)

    def score(text: str) -> dict[str, Any]:
        try:
            return compute_lines(metric, text)
        except (TypeError, ValueError) as error:
            raise gradio.Error(str(error)) from error

    return gradio.Interface(
        fn=score,
        inputs=gradio.Textbox(
            value="\n".join(json.dumps(row, ensure_ascii=False) for row in example),
            lines=8,
            label="Answers, one JSON object a line",
        ),
        outputs=gradio.JSON(label=name),
        title=name,
        description=metric.info.description,
        flagging_mode="never",
    )
