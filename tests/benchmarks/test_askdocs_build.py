"""AskDocsAI from posts and replies. Oracle: each step of MedScore's appendix A.3 on a post made for it, by hand."""

from __future__ import annotations

import json

import pytest

from benchmarks.askdocs import build

INSIDE = int(build.FIRST) + 1
WORDS = "word " * 50


def post(name, text=WORDS, when=INSIDE):
    return {"id": name, "title": "Caf\u00e9 &amp; pain", "selftext": text, "created_utc": when}


def reply(name, to, flair="Physician - Cardiology", when=INSIDE, **more):
    return {"id": name, "link_id": f"t3_{to}", "body": f"Reply {name}.", "author_flair_text": flair} | {
        "created_utc": when,
        **more,
    }


@pytest.fixture
def files(tmp_path):
    def write(name, rows):
        path = tmp_path / name
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return path

    posts = [
        post("a"),
        post("early", when=int(build.FIRST) - 1),
        post("late", when=int(build.LAST)),
        post("short", "Only few words."),
        post("link", WORDS + "see https://example.org"),
        post("lay"),
        post("marked"),
    ]
    replies = [
        reply("2", "a", when=INSIDE + 9),
        reply("1", "a", when=INSIDE + 5),
        reply("0", "a", "Nurse", INSIDE + 1),
        reply("3", "lay", None),
        reply("4", "lay", "Not a physician"),
        reply("5", "marked"),
        reply("6", "marked", "physician", INSIDE + 9, distinguished="moderator"),
        reply("7", "gone"),
    ]
    return write("posts.jsonl", posts), write("replies.jsonl", replies)


def test_each_step_leaves_out_what_the_paper_leaves_out(files):
    pairs, counts = build.select_pairs(*files)
    assert list(counts.values()) == [7, 5, 4, 3, 2]
    assert [(pair["id"], pair["doctor_response"]) for pair in pairs] == [("a", "Reply 1."), ("marked", "Reply 6.")]
    assert pairs[0]["question"] == "Cafe & pain " + WORDS.strip()


def test_the_owners_file_has_the_statistics_that_the_paper_prints(shared_data):
    rows = [dict(fields.record) for fields in build.read_lines(shared_data / "eval" / "medscore" / "AskDocs.jsonl.gz")]
    found = build.statistics(rows)
    # Its sentence splitter and tokenizer are not ours.
    assert found == {name: pytest.approx(value, rel=0.03) for name, value in build.TABLE_7.items()}
