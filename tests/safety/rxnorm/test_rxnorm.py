"""The RxNorm build on files in the documented format, and the RxNav client against a local server."""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar
from urllib.parse import parse_qs, urlsplit

import pytest

from fas.cli import main
from fas.core.cache import Cache
from fas.core.records import Answer
from fas.safety.checker import SafetyChecker
from fas.safety.rxnorm.release import make_vocabulary, read_release, write_vocabulary
from fas.safety.rxnorm.rxnav import RxNav
from fas.safety.vocabulary import read_vocabulary


def conso(rxcui, tty, name, sab="RXNORM", suppress="N"):
    cells = [rxcui, "ENG", "", "", "", "", "", "1", "", "", "", sab, tty, rxcui, name, "", suppress, "4096"]
    return "|".join(cells) + "|"


def rel(one, relation, two):
    return (
        "|".join([one, "", "CUI", "RO", two, "", "CUI", relation, "1", "", "RXNORM", "RXNORM", "", "", "N", "4096"])
        + "|"
    )


@pytest.fixture
def release(tmp_path):
    # Invented drugs with invented identifiers, in NLM's columns.
    (tmp_path / "RXNCONSO.RRF").write_text(
        "\n".join(
            [
                conso("1", "IN", "fictamab"),
                conso("2", "IN", "nonexistol"),
                conso("3", "PIN", "nonexistol sodium"),
                conso("4", "MIN", "fictamab / nonexistol"),
                conso("5", "BN", "Fictara"),
                conso("6", "BN", "Duonex"),
                conso("2", "SY", "nonexistolum"),
                conso("7", "IN", "oldazine", suppress="O"),
                conso("8", "IN", "foreignin", sab="MTHSPL"),
            ]
        )
        + "\n"
    )
    (tmp_path / "RXNREL.RRF").write_text(
        "\n".join(
            [
                rel("1", "tradename_of", "5"),
                rel("6", "tradename_of", "4"),  # the other direction on purpose
                rel("2", "form_of", "3"),
                rel("1", "has_part", "4"),
                rel("2", "has_part", "4"),
                rel("2", "isa", "1"),
            ]
        )
        + "\n"
    )
    (tmp_path / "RXNSAT.RRF").write_text(
        "|".join(["1", "", "", "1", "CUI", "1", "A", "", "UNII_CODE", "MTHSPL", "ABC123", "N", "4096"]) + "|\n"
    )
    return tmp_path


def test_names_salts_combinations_and_brands_are_linked_whatever_the_direction(release):
    vocabulary = make_vocabulary(read_release(release))
    assert {item.name: item.rxcui for item in vocabulary.ingredients.values()} == {"fictamab": "1", "nonexistol": "2"}
    assert {name.text: (name.kind, name.ingredients) for name in vocabulary.names if name.kind != "ingredient"} == {
        "nonexistol sodium": ("salt", ("nonexistol",)),
        "fictamab / nonexistol": ("combination", ("fictamab", "nonexistol")),
        "Fictara": ("brand", ("fictamab",)),
        "Duonex": ("brand", ("fictamab", "nonexistol")),
        "nonexistolum": ("synonym", ("nonexistol",)),
    }


def test_what_is_written_is_read_back_and_known_to_the_checker(release, tmp_path):
    built = read_release(release)
    write_vocabulary(make_vocabulary(built), tmp_path / "out", version="rxnorm-test", unii=built.unii)
    again = read_vocabulary(tmp_path / "out")
    assert set(again.names) == set(make_vocabulary(built).names)
    assert "UNII ABC123" in (tmp_path / "out" / "ingredients.tsv").read_text()
    checker = SafetyChecker(vocabulary=tmp_path / "out")
    (flags,) = checker.check([Answer(id="1", prediction="Take Fictara tonight.")])
    assert [(flag.code, flag.drug) for flag in flags] == [("MISSING_DOSAGE.amount", "fictamab")]
    assert checker.signature.endswith("+rxnorm-test")


class Service(BaseHTTPRequestHandler):
    """A few RxNav answers; the first requests of a run can be refused."""

    refusals: ClassVar[list[int]] = []
    seen: ClassVar[list[tuple[float, str]]] = []

    def do_GET(self):
        url = urlsplit(self.path)
        query = {key: values[0] for key, values in parse_qs(url.query).items()}
        type(self).seen.append((time.monotonic(), url.path))
        if self.refusals:
            self.send_response(self.refusals.pop(0))
            self.end_headers()
            return
        body = self.answer(url.path, query)
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(200)
        self.end_headers()
        self.wfile.write(data)

    def answer(self, path, query):
        if path.endswith("/rxcui.json"):
            return {"idGroup": {"rxnormId": ["5"]} if query["name"] == "Fictara" else {}}
        if path.endswith("/approximateTerm.json"):
            known = {"rxcui": "5", "name": "Fictara", "score": "9.1"}
            return {"approximateGroup": {"candidate": [known, {"rxcui": "5"}] if query["term"] == "Fictarra" else None}}
        if path.endswith("/rxcui/5/related.json"):
            # One element, given as an object rather than a list.
            return {
                "relatedGroup": {
                    "conceptGroup": {"tty": "IN", "conceptProperties": {"rxcui": "1", "name": "fictamab", "tty": "IN"}}
                }
            }
        return b"<html>not json</html>"

    def log_message(self, *arguments):
        pass


@pytest.fixture
def service():
    Service.refusals, Service.seen = [], []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Service)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/REST"
    server.shutdown()
    server.server_close()


@pytest.fixture
def client(service, tmp_path):
    return RxNav(base_url=service, backoff_s=0.01, cache=Cache("rxnav", root=tmp_path))


def test_a_brand_is_resolved_to_its_ingredient(client):
    assert client.rxcui("Fictara") == ["5"]
    assert client.rxcui("unheard") == []
    assert [c.name for c in client.ingredients("Fictara")] == ["fictamab"]
    assert [c.name for c in client.ingredients("Fictarra")] == ["fictamab"]
    assert client.ingredients("unheard") == []


@pytest.mark.parametrize("status", [403, 429, 503])
def test_refusals_are_waited_out(client, status):
    Service.refusals = [status, status]
    assert client.rxcui("Fictara") == ["5"]
    assert len(Service.seen) == 3


def test_the_command_looks_names_up_and_says_which_are_unknown(service, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("FAS_RXNAV_URL", service)
    monkeypatch.setenv("FAS_CACHE_DIR", str(tmp_path / "cache"))
    out = tmp_path / "out"
    assert main(["safety", "build", "-o", str(out), "Fictara", "unheard"]) == 0
    assert "knows no drug called 'unheard'" in capsys.readouterr().err
    assert {name.text for name in read_vocabulary(out).names} == {"fictamab", "Fictara"}
    assert main(["safety", "build", "-o", str(out)]) == 2
