"""Evidence from a search server: a real server process for the protocol, a scripted one for its faults."""

import json
import re

import pytest
from local_server import LocalServer, hang_up, send

import fas
from fas.core.errors import EvidenceUnavailable
from fas.core.records import Answer, Claim
from fas.evidence.opensearch import OpenSearchRetriever
from fas.evidence.push import push

FAST = {"max_attempts": 3, "backoff_s": 0.001, "timeout_s": 5.0}
DOCUMENTS = [
    {"id": "1", "title": "Metformin", "text": "Metformin lowers fasting glucose in adults.", "year": 2015},
    {"id": "2", "title": "Aspirin", "text": "Aspirin relieves acute pain in adults.", "year": 2010},
    {"id": "3", "text": "Metformin does not cause weight gain.", "year": 2020},
    {"id": "4", "title": "Honey", "text": "Honey soothes a cough in children."},
]


@pytest.fixture(scope="module")
def server():
    osmem = pytest.importorskip("osmem_server", reason="needs the package osmem-server")
    with osmem.OsmemServer.start(japanese=False) as running:
        yield running


@pytest.fixture
def place(server, tmp_path, request):
    path = tmp_path / "notes.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in DOCUMENTS), encoding="utf-8")
    name = re.sub(r"\W", "-", request.node.name).lower()[:80]
    assert push(f"{server.url}/{name}", [path]) == len(DOCUMENTS)
    return f"{server.url}/{name}"


def found(retriever, *texts):
    return retriever.retrieve([Claim(text) for text in texts], [Answer("1", "x")] * len(texts))


def test_documents_pushed_are_found_with_their_titles_years_and_ids(place):
    retriever = OpenSearchRetriever(argument=place, k=2)
    pain, nothing = found(retriever, "Aspirin relieves pain.", "zzz qqq")
    assert (pain.passages[0].id, pain.passages[0].title, pain.passages[0].year) == ("2", "Aspirin", 2010)
    assert len(pain.scores) == len(pain.passages)
    assert (nothing.passages, nothing.failure) == ((), None)
    retriever.close()


def test_a_run_scores_with_it_and_its_signature_pins_the_index(place, server):
    report = fas.score_answers([{"prediction": "Aspirin relieves pain."}], evidence=f"opensearch:{place}")
    assert report.answers[0].verdicts[0].label == "supported"
    name = place.rpartition("/")[2]
    assert re.search(rf"evidence:opensearch\[{name},uuid=[\w-]+,n=4,k=5\]", str(report.signature))
    before = OpenSearchRetriever(argument=place).signature
    server.request("PUT", f"/{name}/_doc/9?refresh=true", {"text": "More."})
    assert OpenSearchRetriever(argument=place).signature != before


class Scripted(LocalServer):
    """A server of one index whose searches answer what the test says."""

    def __init__(self, *replies, need=None):
        super().__init__()
        self.replies, self.need, self.asked = list(replies), need, []

    def answer(self, handler):
        body = handler.rfile.read(int(handler.headers.get("Content-Length") or 0)).decode()
        with self.lock:
            self.asked.append((handler.command, handler.path, body, handler.headers.get("Authorization")))
        if self.need is not None and handler.headers.get("Authorization") != self.need:
            return send(handler, 401, b"{}", "application/json")
        if handler.path.startswith("/_msearch"):
            with self.lock:
                reply = self.replies.pop(0)
            if reply is None:
                return hang_up(handler)
            status, value = reply
            return send(handler, status, json.dumps(value).encode(), "application/json")
        if handler.path.endswith("_count"):
            value = {"count": 7}
        elif handler.command == "GET":
            value = {"i": {"mappings": {"properties": {"text": {}}}, "settings": {"index": {"uuid": "u1"}}}}
        else:
            return send(handler, 404, b"{}", "application/json")
        return send(handler, 200, json.dumps(value).encode(), "application/json")


def hit(number, score, text):
    return {"_id": number, "_score": score, "_source": {"text": text}}


def hits(*entries, **more):
    return {"hits": {"hits": list(entries)}, "status": 200, **more}


def test_a_failed_part_makes_its_claim_unverified_and_no_other():
    partial = [
        hits(hit("a", 1.0, "A.")),
        {"error": {"reason": "no shard"}, "status": 503},
        hits(hit("b", 1.0, "B."), _shards={"failed": 1}),
        hits(hit("c", 1.0, "C."), timed_out=True),
    ]
    with Scripted((200, {"responses": partial})) as scripted:
        result = found(OpenSearchRetriever(argument=f"{scripted.address}/i", server_options=FAST), *"wxyz")
    assert [bool(one.failure) for one in result] == [False, True, True, True]
    assert "no shard" in result[1].failure
    assert result[2].passages == ()


def test_a_server_that_is_not_there_stops_the_run():
    with Scripted() as scripted:
        address = scripted.address
    with pytest.raises(EvidenceUnavailable, match="cannot be used"):
        OpenSearchRetriever(argument=f"{address}/i", server_options=FAST)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"argument": None}, "opensearch:URL/INDEX"),
        ({"argument": "localhost/i"}, "the address of a server and the name of an index"),
        ({"argument": "http://127.0.0.1:9/i", "k": 0}, "`k`|k must"),
        ({"argument": "http://127.0.0.1:9/i", "fields": {"body": "x"}}, "no field 'body'"),
    ],
)
def test_impossible_options_are_told_before_anything_is_asked(options, message):
    with pytest.raises(ValueError, match=message):
        OpenSearchRetriever(**options)
