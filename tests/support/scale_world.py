"""Runs of several processes: parts that do to a process what real ones rarely do, and the command with them.

Processes that are spawned, and those of a cluster, load this module by its path, so that they have the parts, too.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path

from fas.core.parts import extractors, retrievers
from fas.core.records import Claim, Passage, Retrieval
from fas.verify import lexical

assert lexical

# What one process leaves for another: how often something happened.
NOTED = Path(os.environ.get("SCALE_WORLD", "."))


def first_time(what: str) -> bool:
    """Whether no process has asked this before."""
    try:
        (NOTED / what).open("x").close()
    except FileExistsError:
        return False
    return True


class Extractor:
    """Every sentence is a claim; some words raise, end the process, or take time."""

    signature = "world[1]"

    def extract(self, answers):
        return [self._claims(answer) for answer in answers]

    def _claims(self, answer):
        text = answer.prediction
        if "RAISE" in text:
            raise ValueError("a bad answer")
        if "DIE" in text or ("ONCE" in text and first_time(f"died-{answer.id}")):
            os.kill(os.getpid(), signal.SIGKILL)
        until = time.monotonic() + 200
        while "HOLD" in text and not (NOTED / "go").exists() and time.monotonic() < until:
            time.sleep(0.02)
        return [Claim(part.strip()) for part in text.split(".") if part.strip()]


class Different:
    """Evidence that is another in every process: an index that was copied before it was whole, say."""

    def __init__(self, *, argument=None, k=5):
        number = next(n for n in range(100) if first_time(f"index-{n}"))
        self.signature = f"index[{number}]"

    def retrieve(self, claims, answers):
        return [Retrieval((Passage("Text."),)) for _ in claims]


for registry, name, part in ((extractors, "world", Extractor), (retrievers, "different", Different)):
    if not registry.has(name):
        registry.add(name, part)

PROFILE = """
[claims]
name = "world"
[verify]
name = "lexical"
[safety]
enabled = false
[run]
precision = "fp32"
n_resamples = 50
"""
NOTES = ["Aspirin relieves pain.", "Honey is not safe for infants.", "Ibuprofen reduces fever in 40 adults."]


def write_world(folder, n, words=None):
    """A profile and *n* answers, those in *words* with a word of their own; lines called BAD are no answers."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "profile.toml").write_text(PROFILE)
    with (folder / "answers.jsonl").open("w", encoding="utf-8") as out:
        for i in range(1, n + 1):
            word = (words or {}).get(i, "")
            answer = {
                "id": f"a{i}",
                "question": f"Question {i // 2}?",
                "prediction": f"Aspirin relieves pain. Ibuprofen reduces fever in {i % 60} adults. {word}",
                "passages": NOTES,
                "kind": "odd" if i % 2 else "even",
            }
            if word == "BAD":
                del answer["prediction"]
            out.write(json.dumps(answer) + "\n")
    return folder / "answers.jsonl"


if __name__ == "__main__":
    from fas.cli import main

    # A suite that runs in the background may have been started with the signal ignored, and children inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(main(sys.argv[1:]))
