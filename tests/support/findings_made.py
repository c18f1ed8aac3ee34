"""Findings, members and folders of them for tests, and an embedder that needs no model."""

from __future__ import annotations

import hashlib
import json

import numpy as np

from fas.detectors.records import DetectedFinding, Findings, Member


class WordEmbedder:
    """Unit vectors of bags of words: texts with the same words are alike, texts without a common one are not."""

    signature = "words"

    def embed(self, texts):
        vectors = np.zeros((len(texts), 512), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in text.casefold().split():
                vectors[row, int(hashlib.sha256(word.encode()).hexdigest(), 16) % 512] += 1.0
        return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


def finding(text="it is wrong", *, at=(0, 5), confidence=1.0, harm=None, snippet=None, **more):
    """A finding whose explanation is *text*."""
    start, end = at if at is not None else (None, None)
    return DetectedFinding(snippet or "Words", text, start, end, harm, confidence, **more)


def member(name, answers, *, family=None, run=0):
    """A member: *answers* is id to findings, or to a failure's reason."""
    lines = {
        key: Findings(key, failure=value) if isinstance(value, str) else Findings(key, tuple(value))
        for key, value in answers.items()
    }
    return Member(name, family or name, run, f"made[{name.replace('/', '-')}]", lines)


def write_lines(path, rows):
    """*rows* as JSON Lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def write_findings(folder, answers, *, text="Words of the answer. More words.", meta=None):
    """A folder as `fas detect` writes one; *answers* is id to findings or to a failure's reason."""
    made = member(folder.name, answers)
    rows = [
        {**line.as_dict(), "question": f"Question {key}?", "prediction": text, "meta": (meta or {}).get(key, {})}
        for key, line in made.answers.items()
    ]
    write_lines(folder / "findings.jsonl", rows)
    settings = {"made_by": "fas", "input": "0", "detect": f"made[{folder.name}]", "v": "0"}
    (folder / "run.json").write_text(json.dumps(settings))
    return folder
