"""Published checkers: each through its real class with tiny random weights, against transformers asked by hand."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import torch
from sklearn.metrics import balanced_accuracy_score, roc_auc_score
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing
from transformers import (
    AlbertConfig,
    AlbertForSequenceClassification,
    AutoModelForSeq2SeqLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
    BertConfig,
    BertForSequenceClassification,
    DebertaV2Config,
    DebertaV2ForSequenceClassification,
    PreTrainedTokenizerFast,
    RobertaConfig,
    RobertaForSequenceClassification,
    T5Config,
    T5ForConditionalGeneration,
)

from fas.cli import main
from fas.core.records import Claim, Pair, Passage
from fas.models.two_way import TwoWayModel
from fas.verify.checkers import checkers, read_checkers
from fas.verify.nli import NliVerifier

WORDS = "zinc shortens colds does not . , predict : 0 1 a trial of adults fever fell and rose in the".split()
SPECIAL = ["<pad>", "<s>", "</s>", "<unk>"]
SMALL = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 48,
    "initializer_range": 0.4,
}
PASSAGE = "zinc shortens colds in adults . fever fell . a trial of the zinc does not"
CLAIM = "zinc does not shortens colds"
TWO_WAY = ("minicheck-roberta", "minicheck-deberta", "minicheck-flan-t5")


def tokenizer(folder):
    vocabulary = {word: i for i, word in enumerate([*SPECIAL, *WORDS])}
    made = Tokenizer(WordLevel(vocabulary, unk_token="<unk>"))
    made.pre_tokenizer = Whitespace()
    made.post_processor = TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> $B </s>", special_tokens=[("<s>", 1), ("</s>", 2)]
    )
    names = {"pad_token": "<pad>", "bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"}
    own = PreTrainedTokenizerFast(tokenizer_object=made, cls_token="<s>", sep_token="</s>", **names)
    own.save_pretrained(folder)
    return len(vocabulary)


def checkpoint(name, folder):
    """A tiny random checkpoint of the architecture that the checker *name* has."""
    torch.manual_seed(3)
    size = tokenizer(folder)
    unnamed = {"vocab_size": size, "num_labels": 3, "pad_token_id": 0, **SMALL}
    if name == "minicheck-roberta":
        config = RobertaConfig(vocab_size=size, num_labels=2, max_position_embeddings=600, pad_token_id=0, **SMALL)
        model = RobertaForSequenceClassification(config)
    elif name == "minicheck-deberta":
        config = DebertaV2Config(vocab_size=size, num_labels=2, max_position_embeddings=600, pad_token_id=0, **SMALL)
        model = DebertaV2ForSequenceClassification(config)
    elif name == "minicheck-flan-t5":
        config = T5Config(
            vocab_size=size, d_model=32, d_kv=16, d_ff=48, num_layers=2, num_heads=2, decoder_start_token_id=0,
            pad_token_id=0, eos_token_id=2, tie_word_embeddings=False,
        )  # fmt: skip
        model = T5ForConditionalGeneration(config)
        torch.nn.init.normal_(model.lm_head.weight, std=1.0)
    elif name == "deberta-nli":
        labels = dict(enumerate(["entailment", "neutral", "contradiction"]))
        config = DebertaV2Config(id2label=labels, max_position_embeddings=600, **unnamed)
        model = DebertaV2ForSequenceClassification(config)
    elif name == "summac-zs":
        labels = dict(enumerate(["entailment", "contradiction", "neutral"]))
        config = AlbertConfig(embedding_size=32, id2label=labels, **unnamed)
        model = AlbertForSequenceClassification(config)
    else:
        config = BertConfig(id2label=dict(enumerate(["contradiction", "entailment", "neutral"])), **unnamed)
        model = BertForSequenceClassification(config)
    model.save_pretrained(folder)
    return folder


@pytest.fixture
def checker(tmp_path, monkeypatch):
    """Makes a checker of the table lie in a folder."""

    def place(name, **changes):
        own = replace(checkers()[name], model=str(checkpoint(name, tmp_path / name)), **changes)
        monkeypatch.setattr("fas.verify.nli.checkers", lambda: {name: own})
        return own

    return place


def by_hand(own, passage, claim):
    """P(supported) as the checker's authors compute it, one pair at a time."""
    read = AutoTokenizer.from_pretrained(own.model)
    text = own.input.replace("{eos}", read.eos_token).replace("{passage}", passage).replace("{claim}", claim)
    encoded = read(text, return_tensors="pt")
    with torch.inference_mode():
        if own.kind == "tokens":
            model = AutoModelForSeq2SeqLM.from_pretrained(own.model).eval()
            logits = model(**encoded, decoder_input_ids=torch.zeros((1, 1), dtype=torch.long)).logits[0, 0]
            no, yes = (read(label, add_special_tokens=False)["input_ids"][0] for label in ("0", "1"))
            return torch.softmax(logits[[no, yes]], dim=-1)[1].item()
        model = AutoModelForSequenceClassification.from_pretrained(own.model).eval()
        return torch.softmax(model(**encoded).logits[0], dim=-1)[1].item()


@pytest.mark.parametrize("name", TWO_WAY)
def test_a_two_way_checker_gives_the_probability_its_authors_compute(checker, name):
    own = checker(name)
    verifier = NliVerifier(model=name, precision="fp32", cache=False)
    claims = [CLAIM, "fever rose", "a trial"]
    judged = verifier.verify([Pair(Claim(claim), Passage(PASSAGE)) for claim in claims])
    wanted = [by_hand(own, PASSAGE, claim) for claim in claims]
    assert [j.p_support for j in judged] == pytest.approx(wanted, abs=1e-5)
    assert max(wanted) - min(wanted) > 1e-4, "the oracle tells the claims apart"
    assert {j.p_contradict for j in judged} == {0.0}


@pytest.mark.parametrize("name", TWO_WAY)
def test_of_a_passage_in_pieces_the_surest_counts_and_is_shown(checker, name):
    own = checker(name, chunk=6, unit="word")
    verifier = NliVerifier(model=name, precision="fp32", cache=False)
    text = "A trial of zinc in adults. In the trial fever fell and rose. Does zinc shortens colds and fever."
    pieces = [f"{piece}." for piece in text.rstrip(".").split(". ")]
    (judged,) = verifier.verify([Pair(Claim(CLAIM), Passage(text))])
    wanted = {piece: by_hand(own, piece, CLAIM) for piece in pieces}
    assert len(set(wanted.values())) == 3
    assert judged.p_support == pytest.approx(max(wanted.values()), abs=1e-5)
    assert judged.sentence == max(wanted, key=wanted.__getitem__)
    assert "words=6" in verifier.signature


def test_a_passage_that_is_too_long_is_cut_and_the_claim_never(checker):
    own = checker("minicheck-roberta", max_length=40, chunk=0)
    model = TwoWayModel(own, precision="fp32")
    long, longer = "zinc fell " * 200, "zinc fell " * 400
    assert np.array_equal(model.logits([(long, CLAIM)]), model.logits([(longer, CLAIM)])), "cut at the same place"
    assert not np.array_equal(model.logits([(long, CLAIM)]), model.logits([(long, "fever rose in adults")]))
    assert np.isnan(model.logits([("zinc", "zinc " * 100)])).all()


def test_a_checker_of_another_shape_is_refused(checker, tmp_path):
    own = checker("biobert-mnli")
    two = replace(checkers()["minicheck-roberta"], model=own.model)
    with pytest.raises(ValueError, match="has 3 classes, not 2"):
        TwoWayModel(two, precision="fp32")
    (tmp_path / "own.toml").write_text('[x]\nmodel = "a"\nkind = "magic"\n')
    with pytest.raises(ValueError, match="checker 'x'"):
        read_checkers(tmp_path / "own.toml")


def test_verifiers_are_compared_on_the_same_pairs(tmp_path, capsys):
    rows = [
        ("Zinc shortens colds in adults.", "Zinc shortens colds.", "entailment"),
        ("Zinc does not shorten colds.", "Zinc shortens colds.", "contradiction"),
        ("Fever fell with ibuprofen.", "Ibuprofen lowers fever.", "supported"),
        ("The trial took place in Norway.", "Ibuprofen lowers fever.", "neutral"),
        ("Aspirin caused bleeding in two patients.", "Aspirin can cause bleeding.", 1),
        ("Aspirin was well tolerated.", "The moon is made of cheese.", 0),
    ]
    file = tmp_path / "pairs.jsonl"
    keys = ("premise", "claim", "label")
    file.write_text("".join(json.dumps(dict(zip(keys, row, strict=True))) + "\n" for row in rows))
    both = ["--verifier", "fas-nli-mini", "--verifier", "lexical"]
    assert main(["models", "compare", str(file), *both, "--json"]) == 0
    found = {own["name"]: own for own in json.loads(capsys.readouterr().out)}
    verifier = NliVerifier(cache=False)
    p = np.array([j.p_support for j in verifier.verify([Pair(Claim(c), Passage(t)) for t, c, _ in rows])])
    gold = np.array([label in ("entailment", "supported", 1) for _, _, label in rows])
    assert found["fas-nli-mini"]["auroc"] == pytest.approx(roc_auc_score(gold, p))
    assert found["fas-nli-mini"]["balanced_accuracy"] == pytest.approx(balanced_accuracy_score(gold, p >= 0.7))
    assert found["lexical"]["n"] == 6
    assert main(["models", "compare", str(file), "--verifier", "lexical"]) == 0
    assert "AUROC of support" in capsys.readouterr().out
