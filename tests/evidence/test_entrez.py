"""The real client against a PubMed on this machine that fails in every way the real one does."""

from __future__ import annotations

import bisect
import json
import random
import threading
import time
from collections import Counter
from itertools import pairwise

import pytest
from eutils_server import FAULTS, EUtils, Record, random_faults

from fas.core.cache import Cache
from fas.core.errors import EvidenceUnavailable
from fas.core.records import Answer, Claim, Passage, Retrieval
from fas.evidence.client import RequestRateLimiter
from fas.evidence.entrez import EntrezRetriever
from fas.evidence.query import concepts, relax_query
from fas.evidence.replies import parse_search

QUICK = {"timeout_s": 0.5, "backoff_s": 0.005, "backoff_cap_s": 0.02, "slack_s": 0.0, "budget_s": 20.0}
ANSWER = Answer("1", "x")

LIBRARY = [
    Record("101", "Metformin and HbA1c", "Metformin lowers HbA1c in adults with type 2 diabetes.", 2016),
    Record("102", "Metformin in mice", "Metformin extends the life of mice with diabetes.", 2012),
    Record("103", "Ibuprofen", "Ibuprofen relieves pain after surgery.", 2019),
    Record("104", "Gastric bleeding", "Ibuprofen raises the risk of gastric bleeding.", 2021),
]


@pytest.fixture
def cache(tmp_path):
    return Cache("entrez", root=tmp_path / "cache")


def retriever(server: EUtils, cache: Cache, *, client_options=None, **options) -> EntrezRetriever:
    defaults = {"base_url": server.url, "email": "test@example.org", "rate": 1000.0, "cache": cache}
    return EntrezRetriever(**defaults | options, client_options=QUICK | (client_options or {}))


def search(server: EUtils, cache: Cache, *claims: str, **options) -> list[Retrieval]:
    source = retriever(server, cache, **options)
    found = source.retrieve([Claim(text) for text in claims], [ANSWER] * len(claims))
    source.close()
    return found


def ids(retrieval: Retrieval) -> list[str | None]:
    return [passage.id for passage in retrieval.passages]


def test_a_claim_finds_the_abstracts_that_speak_of_it(cache):
    with EUtils(LIBRARY) as server:
        claim = "Metformin reduces HbA1c by 1.5% in adults with type 2 diabetes."
        (found,) = search(server, cache, claim, years="2014-2024")
    assert found == Retrieval((Passage(LIBRARY[0].abstract, "101", "Metformin and HbA1c", 2016),), query=found.query)
    assert found.query is not None
    assert found.query.startswith("metformin AND (type 2 diabetes) AND hba1c")


def test_the_search_widens_until_something_is_found(cache):
    with EUtils(LIBRARY) as server:
        (found,) = search(server, cache, "Ibuprofen with diabetes causes mice.")
    assert "103" in ids(found)
    assert " OR " in str(found.query)


def test_a_claim_without_concepts_and_one_that_matches_nothing_are_honestly_empty(cache):
    with EUtils(LIBRARY) as server:
        found = search(server, cache, "It helps.", "Xyzzy cures plugh.")
    assert [(one.passages, one.failure) for one in found] == [((), None), ((), None)]


def test_each_record_is_fetched_once_and_each_search_sent_once_per_cache(cache):
    claims = ["Ibuprofen relieves pain.", "Ibuprofen causes bleeding.", "Ibuprofen relieves pain."]
    with EUtils(LIBRARY) as server:
        first = search(server, cache, *claims)
        fetched = Counter(
            identifier
            for request in server.log
            if request.endpoint == "efetch.fcgi"
            for identifier in request.parameters["id"].split(",")
        )
        sent = Counter(json.dumps(request.parameters, sort_keys=True) for request in server.log)
        before = len(server.log)
        again = search(server, cache, *claims)
        assert len(server.log) == before
    assert set(fetched.values()) == {1}
    assert set(sent.values()) == {1}
    assert first == again
    assert first[0] == first[2]


def test_retracted_records_are_left_out_and_counted_or_marked_on_request(cache):
    records = [
        Record("1", "Cold cure", "Zinc shortens colds."),
        Record("2", "Cold cure", "Zinc shortens colds a lot.", types=("Retracted Publication",)),
        Record("3", "Cold cure", "Zinc shortens colds somewhat.", links=(("ExpressionOfConcernIn", "9"),)),
        Record("4", "Cold cure", "Zinc shortens colds truly."),
        Record("5", "Notice on zinc and colds", types=("Retraction of Publication",), links=(("RetractionOf", "4"),)),
    ]
    with EUtils(records) as server:
        source = retriever(server, cache)
        (found,) = source.retrieve([Claim("Zinc shortens colds.")], [ANSWER])
        assert ids(found) == ["1"]
        assert source.notes() == (
            "2 retracted PubMed records were left out",
            "1 PubMed records under an expression of concern were left out",
        )
        (marked,) = search(server, cache, "Zinc shortens colds.", include_retracted=True)
    assert {p.id: p.status for p in marked.passages} == {"1": None, "2": "retracted", "3": "concern", "4": "retracted"}


def test_an_id_that_makes_the_server_refuse_its_batch_is_found_out(cache):
    def fault(number, endpoint, parameters):
        return "400" if endpoint == "efetch.fcgi" and "3" in parameters["id"].split(",") else None

    records = [Record(str(i), "Zinc", f"Zinc for colds {i}.") for i in range(1, 9)]
    with EUtils(records, fault=fault) as server:
        (found,) = search(server, cache, "Zinc for colds", k=8, client_options={"max_attempts": 2})
    assert sorted(map(str, ids(found))) == ["1", "2", "4", "5", "6", "7", "8"]
    assert found.failure == "1 of 8 records could not be fetched (efetch.fcgi failed 2 times, last with: HTTP 400)"


@pytest.mark.parametrize("kind", FAULTS)
def test_every_fault_is_survived_seven_times_in_a_row(cache, kind):
    def fault(number, endpoint, parameters):
        return kind if number % 8 != 7 else None

    options = {"timeout_s": 0.4 if kind == "timeout" else 5.0, "max_attempts": 8}
    with EUtils(LIBRARY[2:3], fault=fault, slow_s=0.6) as server:
        (found,) = search(server, cache, "Ibuprofen", threads=1, client_options=options)
        assert len(server.log) == 16 or kind == "timeout"  # on a busy machine a good reply may be late, too
    assert (ids(found), found.failure) == (["103"], None)


def test_a_claim_whose_search_keeps_failing_is_a_failure_and_the_others_go_on(cache):
    def fault(number, endpoint, parameters):
        return "500" if "metformin" in parameters.get("term", "") else None

    with EUtils(LIBRARY, fault=fault) as server:
        claims = ("Metformin lowers HbA1c.", "Ibuprofen relieves pain.")
        lost, found = search(server, cache, *claims, client_options={"budget_s": 0.5})
        assert lost.failure is not None
        assert lost.failure.endswith("last with: HTTP 500")
        assert lost.failure.startswith("esearch.fcgi failed ")
        assert found.failure is None
        server.fault = lambda number, endpoint, parameters: None
        retried, _ = search(server, cache, *claims)
    # The next run tries again: failures are not cached.
    assert (ids(retried)[0], retried.failure) == ("101", None)


@pytest.mark.parametrize("kind", ["500", "429", "timeout", "reset", "json error"])
def test_when_nothing_works_the_run_stops_soon_and_says_what_to_do(cache, kind):
    options = {"budget_s": 0.6, "timeout_s": 0.1, "max_attempts": 3}
    with EUtils(LIBRARY, fault=lambda *_: kind, slow_s=0.3) as server:
        source = retriever(server, cache, client_options=options)
        with pytest.raises(EvidenceUnavailable, match=r"nothing at .* has worked for 0\.6 s .*--evidence index:DIR"):
            source.retrieve([Claim(f"Ibuprofen relieves pain{i}.") for i in range(300)], [ANSWER] * 300)
        sent = len(server.log)
        assert sent < 300  # most claims were never asked about
        # What follows stops at once.
        with pytest.raises(EvidenceUnavailable):
            source.retrieve([Claim("Metformin lowers HbA1c.")], [ANSWER])
        assert len(server.log) == sent


def test_an_invalid_key_stops_the_run_at_once_and_is_not_shown(cache):
    with EUtils(LIBRARY, fault=lambda *_: "bad key") as server:
        with pytest.raises(EvidenceUnavailable, match="API key is not valid; correct or unset NCBI_API_KEY") as caught:
            search(server, cache, "Ibuprofen relieves pain.", api_key="SECRETKEY")
        assert len(server.log) <= 6
    assert "SECRETKEY" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"base_url": "ftp://x"}, "must begin with http:// or https:// and name a host, got 'ftp://x'"),
        ({"rate": 0}, "`rate` must be above 0 requests a second, got 0"),
        ({"client_options": {"timeout_s": 0}}, "`timeout_s` must be above 0 seconds, got 0"),
        ({"client_options": {"max_attempts": 0}}, "`max_attempts` must be at least 1, got 0"),
        ({"k": 0}, "`k` must be a whole number of at least 1"),
    ],
)
def test_impossible_settings_are_refused(cache, options, message):
    with pytest.raises(ValueError, match=message):
        EntrezRetriever(**{"base_url": "http://127.0.0.1:1", "email": "x", "cache": cache} | options)


def test_starts_are_at_least_one_interval_apart_over_all_threads():
    limiter = RequestRateLimiter(100, slack_s=0)
    starts = []

    def work():
        for _ in range(10):
            done = limiter.take_turn()
            starts.append(time.monotonic())
            time.sleep(random.Random(len(starts)).uniform(0, 0.005))
            done()

    threads = [threading.Thread(target=work) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    starts.sort()
    assert len(starts) == 50
    assert min(later - earlier for earlier, later in pairwise(starts)) >= 0.01


SUBSTANCES = [
    start + end for start in ("ba", "do", "ki", "lu", "me") for end in ("rimab", "tolol", "mide", "xicam", "zepine")
]
TOPICS = (
    "pain diabetes colds fever stroke asthma gout migraine anemia eczema "
    "nausea insomnia acne sepsis glaucoma obesity scabies vertigo malaria measles"
).split()


def soak(cache: Cache, n_claims: int, rate: float, seed: int) -> set[str]:
    """Run the claims against failing requests, check what came of it, and return the faults that occurred."""
    pairs = [(substance, topic) for substance in SUBSTANCES for topic in TOPICS]
    records = [
        Record(str(1000 + number), f"{substance} and {topic}", f"{substance} for {topic} was studied.", 2018)
        for number, (substance, topic) in enumerate(pairs)
    ]
    random.Random(seed).shuffle(pairs)
    claims = [Claim(f"{substance} helps against {topic} in 3 of 5 cases.") for substance, topic in pairs[:n_claims]]
    kinds = tuple(kind for kind in FAULTS if kind != "timeout")  # a busy machine would make more of them
    with EUtils(records, fault=random_faults(0.3, seed, kinds)) as server:
        source = retriever(server, cache, rate=rate, client_options={"timeout_s": 60.0, "slack_s": 0.002})
        found = []
        for start in range(0, n_claims, 100):
            part = claims[start : start + 100]
            found += source.retrieve(part, [ANSWER] * len(part))
        source.close()
        log = list(server.log)
    # Nothing is lost: every claim found the very record that speaks of it.
    assert [one.failure for one in found] == [None] * n_claims
    for (substance, topic), one in zip(pairs, found, strict=False):
        assert one.passages[0].title == f"{substance} and {topic}"
    # Nothing is repeated: what was answered well is never asked again.
    good = [request for request in log if request.fault is None]
    searches = Counter(request.parameters["term"] for request in good if request.endpoint == "esearch.fcgi")
    fetched = Counter(
        i for request in good if request.endpoint == "efetch.fcgi" for i in request.parameters["id"].split(",")
    )
    assert max(fetched.values()) == 1
    assert max(searches.values()) == 1
    # The pace is kept in every second. (The server notes a request when its thread wakes, so that single
    # distances say more about this machine than about the client.)
    begun = sorted(request.begun for request in log)
    assert max(bisect.bisect_left(begun, first + 1.0) - i for i, first in enumerate(begun)) <= rate
    return {request.fault for request in log if request.fault is not None}


def test_sixty_claims_survive_thirty_percent_faults(cache):
    assert len(soak(cache, 60, rate=100, seed=1)) >= 8


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("Metformin reduces HbA1c by 1.5% in adults with type 2 diabetes.", ["metformin", "type 2 diabetes", "hba1c"]),
        ("TNF-α inhibitors increase the risk of tuberculosis.", ["tuberculosis", "tnf-alpha inhibitors"]),
        ("The odds ratio was OR 2.3 for smokers.", ["odds ratio", "smokers"]),
        ("Take 500 mg of paracetamol every 6 hours.", ["paracetamol"]),
        ("Vitamin D prevents rickets.", ["vitamin d", "rickets"]),
        ("People with Alzheimer's disease", ["alzheimer disease"]),
        ("", []),
        ("💊 !!! ???", []),
        ("It does not help.", []),
    ],
)
def test_concepts_of_a_claim(claim, expected):
    assert concepts(claim) == expected


def test_the_ladder_widens_step_by_step_and_never_repeats():
    records = [
        Record(str(i), abstract=text) for i, text in enumerate(("a1 b1 c1", "a1 b1", "a1 c1", "b1 c1", "a1", "b1"))
    ]
    rungs = list(relax_query(["a1", "b1", "c1"]))
    with EUtils(records) as server:
        matched = [len(parse_search(server._search({"term": rung, "retmax": "50"}).encode()).ids) for rung in rungs]
    assert matched[0] == 1
    assert matched[-1] == 6
    assert len(set(rungs)) == len(rungs)
    assert list(relax_query([])) == []
    assert list(relax_query(["x"])) == ["x"]


def test_every_request_is_a_post_that_names_tool_contact_and_key_and_asks_for_relevance_and_dates(cache):
    with EUtils(LIBRARY) as server:
        search(server, cache, "Ibuprofen relieves pain.", years="2014-2024", api_key="SECRET")
        for request in server.log:
            assert request.parameters["method"] == "POST"
            assert request.parameters["db"] == "pubmed"
            assert request.parameters["tool"] == "fas"
            assert request.parameters["email"] == "test@example.org"
            assert request.parameters["api_key"] == "SECRET"
        searches = [request.parameters for request in server.log if request.endpoint == "esearch.fcgi"]
    wanted = {"sort": "relevance", "datetype": "pdat", "mindate": "2014", "maxdate": "2024"}
    assert all(wanted.items() <= parameters.items() for parameters in searches)


def test_a_word_that_pubmed_does_not_know_never_passes_as_a_match(cache):
    # PubMed leaves the unknown word out and would answer about ibuprofen alone.
    with EUtils(LIBRARY) as server:
        (found,) = search(server, cache, "Ibuprofen and zorblaxine")
        queries = [request.parameters["term"] for request in server.log if request.endpoint == "esearch.fcgi"]
    assert found.query == "ibuprofen"
    assert any("zorblaxine" in query for query in queries)


def test_one_bad_record_leaves_the_others_and_marks_the_claims_concerned(cache):
    bad = "<PubmedArticle><MedlineCitation><PMID>2</PMID><Note>zinc colds</Note></MedlineCitation></PubmedArticle>"
    with EUtils([Record("1", "Zinc", "Zinc for colds."), Record("2", xml=bad), *LIBRARY]) as server:
        concerned, other = search(server, cache, "Zinc shortens colds.", "Ibuprofen relieves pain.")
    assert ids(concerned) == ["1"]
    assert concerned.failure == "1 of 2 records could not be fetched (ValueError: no <Article>)"
    assert other.failure is None


def test_a_misspelled_word_is_searched_as_pubmed_spells_it(cache):
    with EUtils(LIBRARY, spelling={"ibuprofn": "ibuprofen"}) as server:
        (found,) = search(server, cache, "Ibuprofn relieves pain.")
    assert "103" in ids(found)
    assert str(found.query).startswith("ibuprofen")
