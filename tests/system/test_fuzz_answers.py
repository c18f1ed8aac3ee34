"""Random hostile answers through the whole of `fas score`.

Invariants: an exit code of 0, 1 or 2 and no traceback; one record for each line; spans inside the text; shares that sum
to 1; processor time in proportion to the characters. 2,000 answers with a fixed seed; `FAS_FUZZ` multiplies them (5 in `make test-all`), and
`make fuzz` goes on with other seeds for as long as it is told to (`FAS_FUZZ_SECONDS`, `FAS_FUZZ_SEED`).
"""

# ruff: noqa: E501 - pieces are easier to check on one line

from __future__ import annotations

import io
import json
import os
import shutil
import sys
import time
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from processor_time import at_most

from fas.cli import main

TIMES = int(os.environ.get("FAS_FUZZ", "1"))
SECONDS = float(os.environ.get("FAS_FUZZ_SECONDS", "0"))
SEED = int(os.environ.get("FAS_FUZZ_SEED", "25"))
A_BATCH = 50
BATCHES = 40
#: Seconds of the processor that a batch may take, and those for each of its characters: a hundred times what is usual.
A_RUN, A_CHARACTER = 200.0, 0.1

WORDS = [
    "Take 5 mg of aspirin twice a day. ", "aspirin", "Do not take ibuprofen if you have asthma. ", "it is safe ", "really ", "no ", "my ",
    "because ", "if you are pregnant, ", "Yes, ", "What ", "HR 0.5 (95% CI 0.3 to 0.8; P<0.001) ", "the following:\n", "It ", "which ",
]  # fmt: skip
MARKS = [
    " ", "\n", "\n\n", "\t", "\r\n", ". ", ", ", "? ", "! ", ": ", "; ", "-", "--", " - ", "…", "'", '"', "“", "(", ")", "[", "]", "{", "}", "/", "\\", "%",
    "# ", "## ", "* ", "- ", "1. ", "a) ", "**", "__", "`", "```\n", "> ", "| ", "|", "|---|\n", "| a | b |\n|", "[a](http://b.c)", "<b>", "</b>", "<script>",
    "<!--", "&amp;", "&#0;", "$x$", "\\(", "<think>", "</think>",
]  # fmt: skip
ODD = [
    "\x00", "\x07", "\x1b[2J", "\x7f", "\x85", "\u2028", "\u2029", "\u200b", "\u200d", "\u202e", "\u2066", "\ufeff", "\ufffe", "\ud800", "\udfff", "\ue000",
    "e\u0301", "ﬁ", "İ", "ß", "Ａ", "½", "²", "①", "٣", "中文", "हिंदी", "\U0001f600", "\U0001f468\u200d\U0001f469", "\U000e0041",
]  # fmt: skip
NUMBERS = [
    "0",
    "1",
    "-1",
    "1e999",
    "1" * 400,
    "1,000,000",
    "0.000001",
    "1/0",
    ".5",
    "5.",
    "10-20",
    "99999 mg ",
    "0 mg ",
    "NaN",
    "∞",
]
TEXT = st.lists(
    st.sampled_from(WORDS) | st.sampled_from(MARKS) | st.sampled_from(ODD) | st.sampled_from(NUMBERS), max_size=9
).map("".join)
REPEATED = st.builds(
    lambda piece, n, tail: piece * n + tail,
    st.sampled_from(WORDS + MARKS + ODD + NUMBERS),
    st.sampled_from([9, 70, 400]),
    TEXT,
)
PROSE = st.one_of(TEXT, TEXT, TEXT, TEXT, REPEATED)
WRONG = st.sampled_from(
    [None, True, 0, -1, 1e308, 10**30, float("nan"), float("inf"), "", " ", [], {}, [[]], [None], [1], {"text": 1}, {"text": None}, [{}], [{"text": ""}],
     [{"text": "a", "id": 1}], ["a", 1], "\ud800", "a" * 300, {"\ud800": 1}, [["a"]], {"a": {"b": [1]}}]
)  # fmt: skip


def mostly(right: st.SearchStrategy) -> st.SearchStrategy:
    """Values of *right*, and one in sixteen of any other kind."""
    return st.integers(0, 15).flatmap(lambda n: WRONG if n == 0 else right)


CLAIM = st.one_of(
    PROSE,
    st.fixed_dictionaries(
        {"text": PROSE}, optional={"start": mostly(st.integers(-2, 40)), "end": mostly(st.integers(-2, 40))}
    ),
)
PASSAGE = st.one_of(
    PROSE,
    st.fixed_dictionaries(
        {"text": mostly(PROSE)},
        optional={"id": mostly(TEXT), "title": mostly(TEXT), "year": mostly(st.integers(-1, 3000)), "status": WRONG},
    ),
)
OPTIONAL = {
    "id": mostly(TEXT),
    "question": mostly(PROSE),
    "passages": mostly(st.lists(PASSAGE, max_size=2)),
    "meta": mostly(st.dictionaries(TEXT, WRONG, max_size=2)),
}
ANSWER = st.fixed_dictionaries({"prediction": mostly(PROSE)}, optional=OPTIONAL)
# References cost a model's time, given claims leave out the extractor, and a wrong label is an error: less often.
RARER = st.fixed_dictionaries(
    {
        "prediction": PROSE,
        "references": mostly(st.lists(TEXT, max_size=2)),
        "claims": mostly(st.lists(CLAIM, max_size=2)),
    },
    optional={**OPTIONAL, "label": WRONG, "unknown": WRONG},
)
LINE = st.integers(0, 15).flatmap(
    lambda n: st.sampled_from([b"{", b"[]", b"null", b"\xff\xfe", b'{"prediction": "a"', b'{"prediction": "a"} x', b'{"a":' * 99, b"\x00", b"5", b'"a"'])
    if n == 0
    else st.builds(lambda answer, ascii_: json.dumps(answer, ensure_ascii=ascii_).encode("utf-8", "surrogatepass"), st.one_of(*[ANSWER] * 5, RARER), st.booleans())
)  # fmt: skip
PROFILE = '[verify]\nname = "lexical"\n[run]\nn_resamples = 20\nprecision = "fp32"\n'
SCORES = ("fas", "fas_evidence", "support", "contra", "unsupported", "rouge1", "rouge2", "rougeL", "bleu4")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where runs go; one has warmed up the models, so that their loading is in no batch's time."""
    folder = tmp_path_factory.mktemp("fuzz")
    (folder / "p.toml").write_text(PROFILE)
    run(folder, [b'{"prediction": "Take 5 mg of aspirin.", "references": ["Rest."], "passages": ["Rest."]}'])
    return folder


def run(folder: Path, lines: list[bytes]) -> tuple[int, list[dict], str]:
    """Exit code, records and messages of `fas score` over *lines*."""
    shutil.rmtree(folder / "out", ignore_errors=True)
    (folder / "a.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    options = [str(folder / "a.jsonl"), "-o", str(folder / "out"), "--profile", str(folder / "p.toml")]
    options += ["--quiet", "--on-error", "record"]
    told = io.StringIO()
    with redirect_stdout(told), redirect_stderr(told):
        code = main(["score", *options, "--evidence", "passages"])
    scores = folder / "out" / "scores.jsonl"
    records = (
        [json.loads(line) for line in scores.read_bytes().decode("utf-8").split("\n")[:-1]] if scores.exists() else []
    )
    return code, records, told.getvalue()


def check(folder: Path, lines: list[bytes]) -> None:
    """The invariants of one run."""
    with at_most(A_RUN + A_CHARACTER * sum(map(len, lines))):
        code, records, told = run(folder, lines)
    assert code in {0, 1, 2}
    assert "Traceback" not in told
    assert not set(told) & {"\x1b", "\x00", "\x07", "\u202e", "\u2066", "\x85"}
    assert code != 2, told  # a bad line is one record, and no reason to refuse the others
    assert len(records) == len(lines)
    assert len({record["id"] for record in records}) == len(records)
    for record in records:
        well_formed(record)


def well_formed(record: dict) -> None:
    """One record: spans, shares and scores within their ranges, or an error and none of them."""
    length = len(record["prediction"])
    for span in (*record["claims"], *record["flags"]):
        if span["start"] is not None:
            assert 0 <= span["start"] < span["end"] <= length, span
    if record["error"] is not None:
        assert record["error"]["message"]
        assert all(record[name] is None for name in SCORES)
        return
    shares = [record[f"{kind}@5"] for kind in ("support", "contra", "unsupported")]
    if record["n_claims"] > record["n_unverified"]:
        assert sum(shares) == pytest.approx(1)
    else:
        assert shares == [None] * 3
    assert all(record[name] is None or 0 <= record[name] <= 1 for name in SCORES if name != "fas")


fixed = settings(max_examples=BATCHES * TIMES, deadline=None, database=None, suppress_health_check=list(HealthCheck))


@pytest.mark.slow
@seed(SEED)
@fixed
@given(st.lists(LINE, min_size=A_BATCH, max_size=A_BATCH))
def test_two_thousand_hostile_answers_keep_every_invariant(folder, lines):
    check(folder, lines)


@pytest.mark.skipif(not SECONDS, reason="make fuzz")
@pytest.mark.timeout(SECONDS + 300)
def test_hostile_answers_of_other_seeds_for_as_long_as_told(folder):
    ends, number, answers = time.monotonic() + SECONDS, SEED, 0
    while time.monotonic() < ends:
        number += 1

        @seed(number)
        @settings(fixed, max_examples=10)
        @given(st.lists(LINE, min_size=A_BATCH, max_size=A_BATCH))
        def batches(lines):
            check(folder, lines)

        batches()
        answers += 10 * A_BATCH
    sys.stdout.write(f"\n{answers} answers, seeds {SEED + 1} to {number}\n")
