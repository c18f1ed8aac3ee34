"""Several indexes at once, vectors beside words, pages by title: against one index of all, numpy and transformers."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing
from transformers import AutoModel, AutoTokenizer, BertConfig, BertModel, PreTrainedTokenizerFast

from fas.core.errors import InputError
from fas.core.records import Answer, Claim, Passage
from fas.evidence.build import build_index
from fas.evidence.corpora import join_corpora
from fas.evidence.dense import embed_index
from fas.evidence.index import SearchHit, TextIndex
from fas.evidence.local import IndexRetriever
from fas.models.bi_encoder import BiEncoder

WORDS = "aspirin zinc statin fever cold pain heart liver lowers raises causes eases adults children daily".split()


def notes(path: Path, rows: list[dict]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def made(seed, n, prefix, length=8):
    """Documents of equally many words, so that BM25 weighs them alike in any index."""
    rng = np.random.default_rng(seed)
    return [{"id": f"{prefix}{i:02d}", "text": " ".join(rng.choice(WORDS, length))} for i in range(n)]


def tower(folder, seed, hidden=16):
    """A tiny random BERT over `WORDS`, as an encoder of MedCPT's shape."""
    vocabulary = {word: i for i, word in enumerate(["[PAD]", "[CLS]", "[SEP]", "[UNK]", *WORDS])}
    tokens = Tokenizer(WordLevel(vocabulary, unk_token="[UNK]"))
    tokens.pre_tokenizer = Whitespace()
    tokens.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    own = PreTrainedTokenizerFast(
        tokenizer_object=tokens, pad_token="[PAD]", cls_token="[CLS]", sep_token="[SEP]", unk_token="[UNK]",
        model_max_length=24,
    )  # fmt: skip
    own.save_pretrained(folder)
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=len(vocabulary), hidden_size=hidden, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=24, max_position_embeddings=24, initializer_range=0.5,
    )  # fmt: skip
    BertModel(config).save_pretrained(folder)
    return str(folder)


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    """A random encoder of documents and one of queries."""
    folder = tmp_path_factory.mktemp("towers")
    return tower(folder / "articles", 1), tower(folder / "queries", 2)


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    """Two indexes, and one of all their documents."""
    folder = tmp_path_factory.mktemp("corpora")
    first, second = notes(folder / "a.jsonl", made(1, 30, "a")), notes(folder / "b.jsonl", made(2, 12, "b"))
    for name, files in (("a", [first]), ("b", [second]), ("both", [first, second])):
        build_index(folder / name, files)
    return folder


def retrieved(argument, queries, answers=None, **options):
    answers = answers or [Answer("1", "")] * len(queries)
    return IndexRetriever(argument=str(argument), **options).retrieve([Claim(query) for query in queries], answers)


QUERIES = ["aspirin lowers fever", "zinc eases cold in adults", "statin heart liver", "nothing of this"]


def test_two_indexes_rank_as_one_index_of_all_their_documents_and_say_which_each_passage_is_from(two):
    apart = retrieved(f"a={two / 'a'},b={two / 'b'}", QUERIES)
    whole = retrieved(two / "both", QUERIES)
    for one, other in zip(apart, whole, strict=True):
        assert one.scores == pytest.approx(other.scores, rel=1e-4)
        assert sorted(p.id for p in one.passages) == sorted(p.id for p in other.passages)
        assert all(passage.corpus == passage.id[0] for passage in one.passages)
        assert all(passage.corpus is None for passage in other.passages)
    assert {passage.corpus for found in apart for passage in found.passages} == {"a", "b"}
    hashes = [TextIndex(two / name).content_hash[:12] for name in "ab"]
    source = IndexRetriever(argument=f"a={two / 'a'},b={two / 'b'}")
    assert source.signature == f"index[a@{hashes[0]}+b@{hashes[1]},k=5]"


def products(folder, encoder, query):
    """Ids by the product with *query*, over float16 vectors, computed without the index."""
    rows = [json.loads(line) for line in folder.read_text().splitlines()]
    vectors = encoder.documents([(None, row["text"]) for row in rows]).astype(np.float16).astype(np.float32)
    found = np.round(encoder.queries([query])[0] @ vectors.T, 5)
    return sorted(((row["id"], float(p)) for row, p in zip(rows, found, strict=True)), key=lambda x: (-x[1], x[0]))


def test_dense_retrieval_finds_what_every_product_says_and_joins_it_with_bm25_by_ranks(two, pair):
    encoder = BiEncoder(*pair, pooling="cls", precision="fp32")
    for name in ("a", "b", "both"):
        assert embed_index(two / name, encoder)["documents"] == len(TextIndex(two / name))
    options = {"dense": pair[0], "query_encoder": pair[1], "pooling": "cls", "precision": "fp32"}
    alone = retrieved(two / "a", QUERIES, words=False, **options)
    for query, found in zip(QUERIES, alone, strict=True):
        expected = products(two / "a.jsonl", encoder, query)[:5]
        assert found.scores == pytest.approx([product for _, product in expected], abs=1e-4)
        assert [passage.id for passage in found.passages] == [identifier for identifier, _ in expected]
    both = retrieved(two / "a", QUERIES, candidates=10, **options)
    words = retrieved(two / "a", QUERIES, k=10)
    for query, found, ranked in zip(QUERIES, both, words, strict=True):
        sums: dict[str, float] = {}
        for ids in ([p.id for p in ranked.passages], [i for i, _ in products(two / "a.jsonl", encoder, query)[:10]]):
            for rank, identifier in enumerate(ids, start=1):
                sums[identifier] = sums.get(identifier, 0.0) + 1 / (60 + rank)
        assert found.scores == pytest.approx(sorted(sums.values(), reverse=True)[:5])
        assert all(sums[p.id] == pytest.approx(s) for p, s in zip(found.passages, found.scores, strict=True))
    # Vectors compare across indexes as they are.
    apart = retrieved(f"a={two / 'a'},b={two / 'b'}", QUERIES, words=False, **options)
    whole = retrieved(two / "both", QUERIES, words=False, **options)
    assert [one.scores for one in apart] == [pytest.approx(one.scores, abs=1e-4) for one in whole]


def test_vectors_of_another_state_of_the_index_are_refused_and_made_anew(tmp_path, pair):
    build_index(tmp_path / "i", [notes(tmp_path / "n.jsonl", made(1, 3, "a"))])
    options = {"dense": pair[0], "query_encoder": pair[1], "pooling": "cls", "precision": "fp32"}
    with pytest.raises(InputError, match=r"no vectors of .*fas index embed"):
        retrieved(tmp_path / "i", ["zinc"], **options)
    encoder = BiEncoder(*pair, pooling="cls", precision="fp32")
    embed_index(tmp_path / "i", encoder)
    build_index(tmp_path / "i", [notes(tmp_path / "more.jsonl", made(2, 3, "b"))])
    with pytest.raises(InputError, match="another state"):
        retrieved(tmp_path / "i", ["zinc"], **options)
    assert embed_index(tmp_path / "i", encoder)["documents"] == 6
    (found,) = retrieved(tmp_path / "i", ["zinc"], words=False, k=9, **options)
    assert len(found.passages) == len({json.dumps(row["text"]) for row in made(1, 3, "a") + made(2, 3, "b")})


def test_evidence_is_the_page_whose_title_the_answer_names(tmp_path, capsys):
    rows = [
        {"id": "p1", "title": "Ada Lovelace", "text": "She wrote of the analytical engine."},
        {"id": "p2", "title": "Ada Lovelace", "text": "She was born in London."},
        {"id": "p3", "title": "Ada (language)", "text": "Ada was born of a contract and named for Ada Lovelace."},
    ]
    build_index(tmp_path / "i", [notes(tmp_path / "n.jsonl", rows)])
    answers = [
        Answer("1", "", meta={"topic": "ada  LOVELACE"}),
        Answer("2", "", meta={"topic": "Nobody"}),
        Answer("3", ""),
    ]
    source = IndexRetriever(argument=str(tmp_path / "i"), topic="topic")
    found = source.retrieve([Claim("She was born in London.")] * 3, answers)
    assert [[passage.id for passage in one.passages] for one in found] == [["p2", "p1"], [], []]
    assert [one.failure for one in found] == [None] * 3
    assert "2 claims belong to answers without a page" in source.notes()[0]
    assert source.signature.endswith(",topic=topic]")


def by_hand(folder, text, second=None):
    """The first token's state of one text or pair, as transformers alone computes it."""
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()
    with torch.inference_mode():
        read = tokenizer(text, second, return_tensors="pt", truncation=True, max_length=24)
        return model(**read).last_hidden_state[0, 0].numpy()


def test_vectors_are_those_of_transformers_one_by_one(pair):
    encoder = BiEncoder(*pair, pooling="cls", precision="fp32")
    documents = [("aspirin fever", "lowers pain daily"), (None, "zinc"), ("", "statin heart"), ("cold", "eases " * 40)]
    vectors = encoder.documents(documents)
    for vector, (title, text) in zip(vectors, documents, strict=True):
        expected = by_hand(pair[0], title, text) if title else by_hand(pair[0], text)
        assert vector == pytest.approx(expected, abs=2e-5)
    assert encoder.n_cut == 1
    assert encoder.queries(["zinc eases cold"])[0] == pytest.approx(by_hand(pair[1], "zinc eases cold"), abs=2e-5)
    assert "articles@" in encoder.signature
    assert "queries@" in encoder.signature


def test_equal_sums_of_ranks_keep_the_order_of_the_first_ranking():
    a, b = SearchHit(Passage("a"), 9.0), SearchHit(Passage("b"), 8.0)
    assert [hit.passage.text for hit in join_corpora([[a, b], [b, a]], 5)] == ["a", "b"]
    assert join_corpora([[a], []], 5)[0].score == 1 / 61
