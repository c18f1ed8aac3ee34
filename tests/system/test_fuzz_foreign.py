"""Random damage to what comes from elsewhere: replies, PubMed XML, tables, and folders of runs and indexes.

Invariants: an exit code of 0, 1 or 2, no traceback, no hang; what is read is whole or refused with words. `FAS_FUZZ`
multiplies the number of examples, `FAS_FUZZ_SEED` sets another seed.
"""

# ruff: noqa: E501 - documents are easier to check on one line

from __future__ import annotations

import io
import json
import os
import shutil
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from processor_time import at_most

from fas.claims.llm.lines import parse_lines
from fas.claims.llm.replies import ReplyFailure, parse_ambiguities, parse_pairs, parse_statement, read
from fas.cli import main
from fas.core.errors import FasError
from fas.evidence.build import build_index
from fas.evidence.client import BadReplyError
from fas.evidence.index import TextIndex
from fas.evidence.pubmed import Article, BadRecord, Deletion, is_pmid
from fas.evidence.pubmed_xml import MalformedXMLError, read_articles
from fas.evidence.replies import parse_fetch, parse_search
from fas.llm.faults import FaultError
from fas.llm.messages import Message, Prompt, Reply
from fas.llm.parsing import parse_json
from fas.llm.shapes import read_completion
from fas.verify.llm_verdict import read_verdict
from fas.verify.rafe import read_bracketed

TIMES = float(os.environ.get("FAS_FUZZ", "0.2"))
SEED = int(os.environ.get("FAS_FUZZ_SEED", "36"))
PROMPT = Prompt((Message("user", 'Example:\n```json\n{"pairs": []}\n```'),))
SHOWN = ["The claim is true. Answer: True", "Aspirin helps."]


def fuzz(examples: int):
    """So many examples of a fixed seed; more with FAS_FUZZ."""

    def wrapped(test):
        fixed = settings(
            max_examples=int(examples * TIMES),
            deadline=None,
            database=None,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
        )
        return seed(SEED)(fixed(test))

    return wrapped


PIECES = st.sampled_from(
    [
        "True", "False.", "Unclear", "not ", "supported", "The claim is true.", "> ", '"', "'", "“", "```\n", "```json\n",
        "<think>", "</think>", "</reasoning>", '{"pairs": [', '{"subclaim": "a", "decontextualised": "b"}', "]}", "{", "[",
        "}", "- Aspirin helps.", "\n", " ", "[Supported]", "[Not Supported]", "Answer: ", "\ud800", "\\ud800", "\x1b[2J",
        "\u202e", "\x00", "given text ", "from text ", "so, ", "No verifiable claim", "1. ", "but ", "é", "\U0001f600", "\\boxed{",
        '"a": 1e999', "NaN", "," * 9, "(" * 60, "based on the passages, ",
    ]
)  # fmt: skip
REPLIES = st.lists(PIECES | st.text(st.characters(), max_size=5), max_size=40).map("".join)


@fuzz(150)
@given(REPLIES, st.sampled_from(["stop", "length", None, "content_filter"]))
def test_any_reply_is_read_or_refused_in_time(text, finish):
    reply = Reply(text, finish)
    with at_most(60):
        for reading in (
            read_verdict(reply, labels=2, shown=SHOWN, instructions="True: the text supports it. False: it does not."),
            read_verdict(reply, labels=3),
            read_bracketed(reply, statement="[a]", shown=SHOWN),
        ):
            assert (reading.truth is None) != (reading.failure is None)
        for parse in (parse_lines, parse_pairs, parse_ambiguities, parse_statement):
            found = read(reply, parse, PROMPT)
            if not isinstance(found, ReplyFailure) and parse is parse_pairs:
                str(found).encode("utf-8")
        parsed = parse_json(text)
        if parsed.ok:
            json.dumps(parsed.value, ensure_ascii=False).encode("utf-8")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["choices", "message", "content", "usage", "finish_reason", "error", "x"]), inner
        )
    ),
    max_leaves=12,
)


@fuzz(150)
@given(
    JSON
    | st.fixed_dictionaries(
        {"choices": st.lists(st.fixed_dictionaries({"message": JSON | st.fixed_dictionaries({"content": JSON})}))}
    )
)
def test_any_body_of_a_completion_is_a_reply_or_a_fault(value):
    for body in (json.dumps(value).encode(), json.dumps(value).encode()[:-1]):
        try:
            answered = read_completion(body, PROMPT)
        except FaultError:
            continue
        answered.reply.text.encode("utf-8")


RECORDS = b"".join(
    b'<PubmedArticle><MedlineCitation><PMID Version="1">%d</PMID><Article><Journal><JournalIssue><PubDate><Year>2020</Year>'
    b"</PubDate></JournalIssue></Journal><ArticleTitle>T<i>i</i></ArticleTitle><Abstract><AbstractText Label='R'>Aspirin "
    b"10<sup>6</sup> helps &amp; so on.</AbstractText></Abstract></Article><CommentsCorrectionsList><CommentsCorrections "
    b'RefType="RetractionIn"><PMID>9</PMID></CommentsCorrections></CommentsCorrectionsList></MedlineCitation></PubmedArticle>'
    % number
    for number in range(1, 5)
)
XML = (
    b"<?xml version='1.0'?><PubmedArticleSet>"
    + RECORDS
    + b"<DeleteCitation><PMID>7</PMID></DeleteCitation></PubmedArticleSet>"
)
SEARCH = b"<eSearchResult><Count>2</Count><IdList><Id>1</Id><Id>2</Id></IdList><QueryTranslation>a</QueryTranslation></eSearchResult>"
JUNK = st.sampled_from(
    [b"", b"\n", b"\t", b'"', b"<", b">", b"&", b"\x00", b"\xff", b"<i>" * 50, b"</i>", b"99999999999999999999", b"\xc2\xb2", b",", b"[", b"<PMID>"]
) | st.binary(max_size=6)  # fmt: skip
CUTS = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 30), JUNK), max_size=4)
ENDS = st.floats(0, 1) | st.just(1.0)


def damaged(data: bytes, cuts: list[tuple[float, int, bytes]], end: float = 1.0) -> bytes:
    """*data* overwritten at the places of *cuts*, and cut off at *end*; both as shares of its length."""
    for at, length, junk in cuts:
        place = int(at * len(data))
        data = data[:place] + junk + data[place + length :]
    return data[: int(end * len(data)) if end < 1 else None]


@fuzz(150)
@given(CUTS, ENDS)
def test_any_pubmed_document_is_read_record_by_record_or_refused(cuts, end):
    data = damaged(XML, cuts, end)
    try:
        for item in read_articles(io.BytesIO(data)):
            if isinstance(item, Article):
                assert all(map(is_pmid, [item.pmid, *(pmid for pmid, _ in item.marks)]))
                str(item).encode("utf-8")
            elif isinstance(item, Deletion):
                assert is_pmid(item.pmid)
                assert 0 <= item.version < 10_000
            else:
                assert isinstance(item, BadRecord)
    except MalformedXMLError:
        pass
    for parse, body in ((parse_fetch, data), (parse_search, damaged(SEARCH, cuts, end))):
        with suppress(BadReplyError):
            parse(body)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A finished run and an index, to be damaged in copies."""
    folder = tmp_path_factory.mktemp("finished")
    answers = [
        {"id": str(i), "prediction": "Rest helps.", "claims": ["Rest helps."], "passages": ["Rest helps."]}
        for i in range(3)
    ]
    (folder / "a.jsonl").write_text("".join(json.dumps(answer) + "\n" for answer in answers))
    (folder / "p.toml").write_text('[verify]\nname = "lexical"\n[safety]\nenabled = false\n[run]\nn_resamples = 20\n')
    passages = [{"id": str(i), "text": f"Aspirin helps {i}."} for i in range(5)]
    (folder / "p.jsonl").write_text("".join(json.dumps(passage) + "\n" for passage in passages))
    assert main(["score", *run_options(folder)]) == 0
    build_index(folder / "index", [folder / "p.jsonl"])
    return folder


def run_options(folder: Path) -> list[str]:
    return [str(folder / "a.jsonl"), "-o", str(folder / "out"), "--profile", str(folder / "p.toml"), "--quiet"]


@fuzz(12)
@given(
    st.sampled_from(["scores.jsonl", "run.json", "report.json", "report.html", "redone.jsonl"]),
    CUTS,
    ENDS,
    st.booleans(),
)
def test_a_damaged_run_folder_is_gone_on_with_or_refused(finished, tmp_path, name, cuts, end, overwrite):
    folder = tmp_path / "copy"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(finished, folder)
    whole = (folder / "out" / "scores.jsonl").read_bytes()
    source = folder / "out" / name
    source.write_bytes(damaged(source.read_bytes() if source.exists() else whole, cuts, end))
    code = main(["score", *run_options(folder), *(["--overwrite"] if overwrite else [])])
    assert code in {0, 1, 2}
    main(["results", "compare", str(folder / "out"), str(finished / "out"), "--json", "--n-resamples", "20"])
    if code == 0:
        ids = [json.loads(line)["id"] for line in (folder / "out" / "scores.jsonl").read_text().splitlines()]
        assert {"0", "1", "2"} <= set(ids)
        assert len(ids) == len(set(ids))


@fuzz(15)
@given(st.data())
def test_a_damaged_index_answers_or_is_refused(finished, tmp_path, data):
    folder = tmp_path / "copy"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(finished / "index", folder)
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.stat().st_size)
    path = data.draw(st.sampled_from(files))
    path.write_bytes(damaged(path.read_bytes(), data.draw(CUTS), data.draw(ENDS)))
    for command in (
        ["search", str(folder), "aspirin"],
        ["info", str(folder)],
        ["build", str(folder), str(finished / "p.jsonl")],
    ):
        assert main(["index", *command]) in {0, 1, 2}
    with suppress(FasError):
        TextIndex(folder).search("aspirin")
