"""`fas bench` on small files, with the lexical verifier."""

from __future__ import annotations

import json

from fas.cli import main

PROFILE = '[verify]\nname = "lexical"\n[safety]\nenabled = false\n[run]\nprecision = "fp32"\nn_resamples = 20\n'


def bench(*arguments, tables=False):
    drawn = [] if tables else ["--no-tables"]
    return main(["bench", "run", *arguments, "--data", "data", "--profile", "quick.toml", "--quiet", *drawn])


def records(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
