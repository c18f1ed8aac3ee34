"""AskDocsAI from posts and replies of r/AskDocs, by the steps of MedScore's appendix A.3, each with what it leaves.

    python -m benchmarks.askdocs.build POSTS REPLIES -o DATA/askdocs/AskDocs.jsonl [--model NAME --base-url URL]
    python -m benchmarks.askdocs.build --statistics DATA/askdocs/AskDocs.jsonl

POSTS and REPLIES are JSON Lines as Reddit's archives have them: `id`, `title`, `selftext`, `created_utc`; and `id`,
`link_id`, `body`, `author_flair_text`, `created_utc`, `distinguished`, `stickied`. With --model, a language model rewrites
each doctor's response for patients, as the paper's did; without, `response` stays empty. Prints each step's counts and
the statistics of table 7 beside the paper's.
"""

from __future__ import annotations

import argparse
import html
import json
import random
import re
import unicodedata
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fas.bench.files import Fields, read_lines
from fas.llm import Message, Prompt, chat_model
from fas.reference.tokenizers import load_tokenizer
from fas.text.sentences import sentence_spans

FIRST, LAST = (datetime(*day, tzinfo=UTC).timestamp() for day in ((2015, 12, 31), (2022, 12, 28)))
LEAST_WORDS, DRAWN, SEED = 50, 300, 12345
PAPER = {"with a physician's reply": 343, "drawn": 300}
TABLE_7 = {
    "sentences a question": 12.3,
    "sentences a doctor's response": 5.1,
    "sentences a rewritten response": 6.7,
    "tokens a sentence of a question": 18.3,
    "tokens a sentence of a doctor's response": 18.7,
    "tokens a sentence of a rewritten response": 24.5,
}
_URL = re.compile(r"https?://|www\.", re.IGNORECASE)
_REWRITE = (
    "Below are a patient's question and what a doctor answered. Write the doctor's answer anew for the patient: in plain, "
    "kind and complete sentences, with every medical statement of the doctor and no diagnosis, treatment or fact that the "
    "doctor did not give.\n\nQuestion: {question}\n\nDoctor: {doctor}\n\nAnswer for the patient:"
)


def clean(text: str) -> str:
    """*text* in ASCII, its HTML escapes resolved, with single spaces."""
    plain = unicodedata.normalize("NFKD", html.unescape(text)).encode("ascii", "ignore").decode()
    return " ".join(plain.split())


def is_physician(reply: Fields) -> bool:
    """Whether the flair of its author says physician, alone or with a field (`Physician - Cardiology`)."""
    flair = reply.record.get("author_flair_text") or ""
    return bool(re.match(r"physician\b", str(flair).strip(), re.IGNORECASE))


def choose_reply(replies: Sequence[Fields]) -> Fields:
    """The one that a moderator marked or pinned, else the earliest."""
    return min(
        replies,
        key=lambda one: (
            not (one.record.get("stickied") or one.record.get("distinguished") == "moderator"),
            one.whole("created_utc"),
            one.text("id"),
        ),
    )


def select_pairs(posts: Path, replies: Path) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """The questions with a physician's reply, in the order of their ids, and how many posts each step left.

    Raises:
        InputError: A file cannot be read, or a line lacks a field.
    """
    kept = [(post, clean(f"{post.string('title')} {post.string('selftext')}")) for post in read_lines(posts)]
    counts = {"posts": len(kept)}
    steps = {
        "from 2015-12-31 to 2022-12-27": lambda post, _: FIRST <= post.whole("created_utc") < LAST,
        f"with {LEAST_WORDS} words": lambda _, text: len(text.split()) >= LEAST_WORDS,
        "without a URL": lambda _, text: not _URL.search(text),
    }
    for name, keeps in steps.items():
        kept = [(post, text) for post, text in kept if keeps(post, text)]
        counts[name] = len(kept)
    wanted = {post.text("id") for post, _ in kept}
    answered: dict[str, list[Fields]] = {}
    for reply in read_lines(replies):
        post = reply.text("link_id").removeprefix("t3_")
        if post in wanted and is_physician(reply):
            answered.setdefault(post, []).append(reply)
    pairs = [
        {"id": post.text("id"), "question": text, "doctor_response": clean(choose_reply(found).text("body"))}
        for post, text in kept
        if (found := answered.get(post.text("id")))
    ]
    counts["with a physician's reply"] = len(pairs)
    return sorted(pairs, key=lambda pair: pair["id"]), counts


def rewrite(pairs: Sequence[dict[str, Any]], model: str, base_url: str | None) -> Iterator[str]:
    """Each doctor's response as a model rewrites it, with the paper's settings; a lost reply is an error."""
    asked = [
        Prompt(
            (Message("user", _REWRITE.format(question=pair["question"], doctor=pair["doctor_response"])),),
            max_tokens=512,
            temperature=0.7,
            sample=0,
        )
        for pair in pairs
    ]
    for pair, reply in zip(pairs, chat_model(model, base_url=base_url).complete(asked), strict=True):
        if reply.failure is not None:
            raise SystemExit(f"{pair['id']}: {reply.failure}; the same command goes on")
        yield reply.text.strip()


def statistics(rows: Sequence[dict[str, Any]]) -> dict[str, float]:
    """The means of table 7, over texts for sentences and over sentences for tokens (Penn Treebank); nan without any."""
    tokens = load_tokenizer("treebank")
    found: dict[str, float] = {}
    for field, name in (
        ("question", "question"),
        ("doctor_response", "doctor's response"),
        ("response", "rewritten response"),
    ):
        texts = [row[field] for row in rows if row.get(field)]
        sentences = [text[start:end] for text in texts for start, end in sentence_spans(text)]
        found[f"sentences a {name}"] = len(sentences) / len(texts) if texts else float("nan")
        found[f"tokens a sentence of a {name}"] = (
            sum(len(tokens(one)) for one in sentences) / len(sentences) if sentences else float("nan")
        )
    return found


def main() -> None:
    """Build, or say what a file holds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("posts", type=Path, nargs="?")
    parser.add_argument("replies", type=Path, nargs="?")
    parser.add_argument("-o", "--out", type=Path)
    parser.add_argument("--model")
    parser.add_argument("--base-url")
    parser.add_argument("--statistics", type=Path, metavar="FILE")
    options = parser.parse_args()
    if options.statistics is not None:
        rows = [dict(fields.record) for fields in read_lines(options.statistics)]
    else:
        if options.posts is None or options.replies is None or options.out is None:
            parser.error("give POSTS, REPLIES and -o FILE, or --statistics FILE")
        pairs, counts = select_pairs(options.posts, options.replies)
        rows = sorted(random.Random(SEED).sample(pairs, min(DRAWN, len(pairs))), key=lambda pair: str(pair["id"]))
        for name, n in {**counts, "drawn": len(rows)}.items():
            print(f"{name:<42} {n:>8} {PAPER.get(name, ''):>8}")
        answers = [""] * len(rows) if options.model is None else rewrite(rows, options.model, options.base_url)
        rows = [{**row, "response": answer} for row, answer in zip(rows, answers, strict=True)]
        options.out.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    for name, value in statistics(rows).items():
        print(f"{name:<42} {value:>8.1f} {TABLE_7[name]:>8}")


if __name__ == "__main__":
    main()
