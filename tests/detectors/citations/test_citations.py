"""Citations of answers: found in the text, looked up, judged; every number worked out by hand."""

from __future__ import annotations

import json

import evaluate
import pytest
from eutils_server import EUtils, Record, article_set
from hypothesis import given
from hypothesis import strategies as st
from processor_time import times_as_long

import fas
from fas.cli import main
from fas.core.profile import PartSpec, load_profile
from fas.core.records import Answer, Claim, Passage, Retrieval, Verdict
from fas.detectors.citations.checking import check
from fas.detectors.citations.parsing import attach_citations, parse_citations
from fas.detectors.citations.report import check_citations
from fas.evidence.build import build_index

LEXICAL = load_profile("mini").override(verify=PartSpec("lexical"), safety=False, precision="fp32", n_resamples=50)


def seen(text):
    return [(c.resolved.kind, c.resolved.value, text[slice(*c.covers)]) for c in parse_citations(text).citations]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Aspirin thins the blood [1].", [("number", "1", "Aspirin thins the blood")]),
        ("It may bleed.[2,3] Rest.", [("number", "2", "It may bleed."), ("number", "3", "It may bleed.")]),
        ("A helps [1] and B hurts [3-4].",
         [("number", "1", "A helps"), ("number", "3", "and B hurts"), ("number", "4", "and B hurts")]),
        ("A helps [1][2].", [("number", "1", "A helps"), ("number", "2", "A helps")]),
        ("It works (PMID: 29915538).", [("pmid", "29915538", "It works")]),
        ("It works (PMIDs 12345, 67890).", [("pmid", "12345", "It works"), ("pmid", "67890", "It works")]),
        ("It works (https://pubmed.ncbi.nlm.nih.gov/29915538/).", [("pmid", "29915538", "It works")]),
        ("It works (doi:10.1000/xyz.12).", [("doi", "10.1000/xyz.12", "It works")]),
        ("It works (https://doi.org/10.1000/ABC).", [("doi", "10.1000/abc", "It works")]),
        ("It works, PMC1234567.", [("pmc", "PMC1234567", "It works")]),
        ("It works (https://who.int/a).", [("url", "https://who.int/a", "It works")]),
        ("[1] says that it works.", [("number", "1", "says that it works.")]),
        ("It works, pmc1234567.", [("pmc", "PMC1234567", "It works")]),
        ("It works (PMCID: PMC1234567).", [("pmc", "PMC1234567", "It works")]),
        ("It works (https://pmc.ncbi.nlm.nih.gov/articles/PMC1234567/).", [("pmc", "PMC1234567", "It works")]),
        ("It works (https://www.ncbi.nlm.nih.gov/pmc/articles/PMC1234567/).", [("pmc", "PMC1234567", "It works")]),
        ("It works (https://www.ncbi.nlm.nih.gov/pubmed/29915538).", [("pmid", "29915538", "It works")]),
        ("It works (https://europepmc.org/article/MED/29915538).", [("pmid", "29915538", "It works")]),
        ("It works [12345678, 23456789].", [("pmid", "12345678", "It works"), ("pmid", "23456789", "It works")]),
        ("It works [[1]](https://pubmed.ncbi.nlm.nih.gov/29915538/).", [("pmid", "29915538", "It works")]),
        ("It works 【1†source】.", [("number", "1", "It works")]),
        ("It works【2†page.pdf】.", [("number", "2", "It works")]),
        ("It works 【4:0†source】.", [("mark", "【4:0†source】", "It works")]),
        ("It works [^1].\n\n[^1]: PMID 29915538", [("pmid", "29915538", "It works")]),
        # A DOI may hold brackets in pairs; what stands around it is no part of it.
        ("It works (doi:10.1002/(SICI)1096-9861(19960129)365:1<113::AID-CNE9>3.0.CO;2-6).",
         [("doi", "10.1002/(sici)1096-9861(19960129)365:1<113::aid-cne9>3.0.co;2-6", "It works")]),
        ("It works (doi:10.1890/0012-9658(2006)87[2445:AIHBH]2.0.CO;2).",
         [("doi", "10.1890/0012-9658(2006)87[2445:aihbh]2.0.co;2", "It works")]),
        ("It works (https://doi.org/10.1016/S0735-1097%2898%2900347-7).",
         [("doi", "10.1016/s0735-1097(98)00347-7", "It works")]),
        ("It works <b>10.1000/abc</b>.", [("doi", "10.1000/abc", "It works <b>")]),
        ("It works <https://doi.org/10.1000/abc>.", [("doi", "10.1000/abc", "It works <")]),
        # What only looks like a citation.
        ("Median age was 62 [54–71] years.", []),
        ("Median age was 62.5 [54, 71] years.", []),
        ("Median age was 62 years (IQR [54-71]).", []),
        ("The median age was 62 years [54-71].", []),
        ("It fell to 120 mmHg [110-132] in a week.", []),
        ("It heals within 3 days [1-2].", [("number", n, "It heals within 3 days") for n in "12"]),
        ("The risk fell (95% CI [12, 34]).", []),
        # Behind a number that does not lie between them, or where the list of references has both: citations.
        ("It was found in 2020 [4-5].", [("number", n, "It was found in 2020") for n in "45"]),
        ("It gained 2 [1, 3].\n\nReferences\n1. Doe\n3. Roe", [("number", n, "It gained 2") for n in "13"]),
        ("This means [1-2] little.", [("number", n, "This means") for n in "12"]),
        ("Take 5 [see b] or [link](https://who.int).", [("url", "https://who.int", "Take 5 [see b] or [link]")]),
        ("A dose of 10.5 mg (2018) in [a] arms.", []),
        # The list of references says what a number is, and is itself no citation.
        ("A helps [1]. B hurts [2].\n\nReferences:\n1. Doe. PMID: 29915538\n2. Roe. Some book.\n",
         [("pmid", "29915538", "A helps"), ("number", "2", "B hurts")]),
        ("A helps [1].\n\n[1] Doe J. https://doi.org/10.1000/abc\n[2] Roe PMID 123456",
         [("doi", "10.1000/abc", "A helps")]),
    ],
)  # fmt: skip
def test_citations_of_a_text_and_what_they_stand_for(text, expected):
    assert seen(text) == expected


@pytest.mark.parametrize(
    "unit",
    ["References\n", "doi", "[1] a. ", "PMID ", "[1,", "[1-60]", "https://", "【1†", "#\n", "10.1000/a(", "1. a\n",
     "[1]\n", "2 [1-3] ", "[^1]: 10.1000/a\n"],
)  # fmt: skip
def test_the_citations_of_a_text_take_time_in_proportion_to_its_length(unit):
    bound = 35  # ten times the text: a square would be 100 times
    for text in (lambda n: unit * (n // len(unit)), lambda n: unit.strip() + " " * n):
        assert times_as_long(lambda n: parse_citations(text(n)), 4_000, 40_000, below=bound) < bound  # noqa: B023


@pytest.mark.parametrize(
    ("cited", "id_"),
    [
        ("(PMC1234567)", "pmc1234567"),
        ("(pmc1234567)", "PMCID: PMC1234567"),
        ("(PMC1234567)", "https://pmc.ncbi.nlm.nih.gov/articles/PMC1234567"),
        ("(PMID: 12345678)", "pmid:12345678"),
        ("[12345678]", "12345678"),
        ("(https://pubmed.ncbi.nlm.nih.gov/12345678/)", "PMID 12345678"),
        ("(doi:10.1000/AB(1)2)", "https://doi.org/10.1000/ab(1)2"),
        ("(https://who.int/a)", "https://who.int/a"),
    ],
)
def test_a_given_passage_with_the_very_identifier_is_found_in_whatever_spelling(cited, id_):
    answer = Answer("a", f"X is red {cited}.", passages=(Passage("no"), Passage("red", id=id_)))
    (one,) = check([answer], [[]], judge=table(), library=None, search=lambda *_: [])
    assert [(source.state, source.passage) for source in one.sources] == [("found", answer.passages[1])]


@given(st.text(alphabet="ab .[]0123456789,-()\nPMID:/", max_size=60))
def test_any_text_is_parsed_with_marks_inside_it(text):
    parsed = parse_citations(text)
    for citation in parsed.citations:
        assert 0 <= citation.start < citation.end <= parsed.list_start <= len(text)
        assert 0 <= citation.covers[0] <= citation.covers[1] <= len(text)


def test_a_claim_has_the_citations_of_its_own_part_and_a_whole_sentence_has_all():
    text = "Metformin lowers glucose in adults [1] and weight a little [2]."
    citations = parse_citations(text).citations
    whole, first, second = (0, len(text)), (0, 34), (text.index("and weight"), text.index(" [2]"))
    assert attach_citations(citations, [whole, first, second, None]) == [[0, 1], [0], [1], []]


# --- judged, with a judge whose every answer is in a table --------------------------------------------


def table(**says):
    """A judge: a claim is supported by a passage whose text holds all the words the table asks for."""

    def judge(cases):
        verdicts = []
        for case in cases:
            (passage,) = case.passages
            needed = says[case.claim.text]
            against = [word[1:] for word in needed if word.startswith("!")]
            label = "unverified" if "BROKEN" in passage.text else "unsupported"
            if any(word in passage.text for word in against):
                label = "contradicted"
            elif needed and all(word in passage.text for word in needed if not word.startswith("!")):
                label = "supported"
            verdicts.append(Verdict(case.claim, label))
        return verdicts

    return judge


def checked(prediction, claims, passages, judge, found=()):
    spans = [Claim(text, prediction.index(part), prediction.index(part) + len(part)) for text, part in claims]
    answer = Answer("a", prediction, passages=tuple(Passage(text, id=str(i)) for i, text in enumerate(passages)))
    search = lambda several, answers: [Retrieval(tuple(found)) for _ in several]  # noqa: E731
    (one,) = check([answer], [spans], judge=judge, library=None, search=search)
    return one


def test_recall_and_precision_by_hand():
    text = "X is red [1]. Y is blue [2][3]. Z is new [9]. W is old."
    claims = [("x", "X is red"), ("y", "Y is blue"), ("z", "Z is new"), ("w", "W is old")]
    one = checked(text, claims, ["r", "b", "nothing"], table(x=["r"], y=["b"], z=["n"], w=["o"]))
    assert [c.together for c in one.claims] == [True, True, False, None]
    assert [c.stands for c in one.claims] == [("supports",), ("supports", "neither"), ("unjudged",), ()]
    assert [s.state for s in one.sources] == ["found", "found", "found", "missing"]
    # Two of four claims; of four citations [1] and [2] count, [3] and the missing [9] do not.
    assert one.measures["citation_recall"] == pytest.approx(2 / 4)
    assert one.measures["citation_precision"] == pytest.approx(2 / 4)
    assert one.measures["cited_claims"] == pytest.approx(3 / 4)
    assert one.measures["missing_sources"] == pytest.approx(1 / 4)
    assert one.measures["misattributed"] == 0.0


def test_two_sources_that_support_only_together_both_count_and_a_third_does_not():
    one = checked("X is red [1][2][3].", [("x", "X is red")], ["re", "d!", "zz"], table(x=["re", "d!"]))
    (claim,) = one.claims
    assert (claim.together, claim.counts) == (True, (True, True, False))
    assert one.measures["citation_precision"] == pytest.approx(2 / 3)


def test_a_claim_supported_by_what_it_does_not_cite_is_misattributed():
    other = Passage("red", id="other")
    one = checked("X is red [1].", [("x", "X is red")], ["blue"], table(x=["red"]), found=[other])
    assert one.claims[0].elsewhere == other
    assert one.measures["misattributed"] == 1.0
    assert one.as_dict()["claims"][0]["elsewhere"] == "other"


# --- with real parts ------------------------------------------------------------------------------


def test_an_index_gives_the_text_behind_a_pmid_and_says_what_is_retracted(tmp_path, fresh_cache):
    records = [
        Record("29915538", title="Tea", abstract="Green tea reduces body weight in adults."),
        Record("30000002", title="Pain", abstract="Aspirin relieves pain.", links=(("RetractionIn", "9"),)),
    ]
    (tmp_path / "a.xml").write_text(article_set(records))
    build_index(tmp_path / "i", [tmp_path / "a.xml"])
    text = (
        "Green tea reduces body weight in adults (PMID: 29915538). Aspirin relieves pain (PMID 30000002). "
        "Honey soothes a cough (PMID 31111111)."
    )
    profile = LEXICAL.override(evidence=f"index:{tmp_path / 'i'}")
    report = check_citations([Answer("a", text)], profile)
    states = [(s.state, s.passage and s.passage.status) for s in report.answers[0].sources]
    # An index need not hold all of PubMed: what it lacks may exist.
    assert states == [("found", None), ("found", "retracted"), ("unchecked", None)]
    assert report.metrics["retracted_sources"].mean == 0.5
    assert [c.together for c in report.answers[0].claims] == [True, True, None]


def test_pubmed_is_asked_for_pmids_and_dois_and_knows_what_does_not_exist(tmp_path, fresh_cache, monkeypatch, capsys):
    records = [
        Record("29915538", abstract="Green tea reduces body weight in adults."),
        Record("30000002", abstract="Aspirin relieves pain. 10.1000 xyz aid"),
    ]
    text = (
        "Green tea reduces body weight in adults (PMID: 29915538). Aspirin relieves pain (doi:10.1000/xyz). "
        "Honey soothes a cough (PMID 31111111)."
    )
    (tmp_path / "a.jsonl").write_text(json.dumps({"id": "a", "prediction": text}) + "\n")
    (tmp_path / "p.toml").write_text('[verify]\nname = "lexical"\n[run]\nn_resamples = 50\nprecision = "fp32"\n')
    monkeypatch.setenv("NCBI_EMAIL", "x@y")
    with EUtils(records) as server:
        monkeypatch.setenv("FAS_ENTREZ_URL", server.url)
        code = main(["citations", str(tmp_path / "a.jsonl"), "--profile", str(tmp_path / "p.toml"), "--evidence",
                     "entrez", "-o", str(tmp_path / "out"), "--json"])  # fmt: skip
    assert code == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["counts"]["missing"] == 1
    record = json.loads((tmp_path / "out" / "citations.jsonl").read_text())
    assert [(c["state"], c["id"]) for c in record["citations"]] == [
        ("found", "29915538"), ("found", "30000002"), ("missing", None)
    ]  # fmt: skip
    assert record["missing_sources"] == pytest.approx(1 / 3)
    assert json.loads((tmp_path / "out" / "citations.json").read_text()) == printed


def test_the_evaluate_module_gives_the_same_numbers(fresh_cache):
    metric = evaluate.load(fas.module_path("citations"))
    given = {
        "predictions": ["Aspirin thins the blood [1]. Honey soothes a cough [2].", "Rest helps."],
        "passages": [["Aspirin thins the blood."], []],
    }
    options = {"verify": PartSpec("lexical"), "precision": "fp32", "n_resamples": 50}
    result = metric.compute(**given, **options)
    answers = [
        Answer(str(i), p, passages=tuple(map(Passage, t)))
        for i, (p, t) in enumerate(zip(given["predictions"], given["passages"], strict=True), start=1)
    ]
    report = check_citations(answers, LEXICAL)
    assert result["citation_recall"] == report.metrics["citation_recall"].mean
    assert result["counts"] == dict(report.counts)
    assert metric.compute(**given, **options, use_aggregator=False)["missing_sources"] == [0.5, None]
