"""The reference scores of an answer: what the pipeline reads."""

import random
import re

import pytest
import torch
from nltk.stem.porter import PorterStemmer
from nltk.tokenize.treebank import TreebankWordTokenizer
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu
from reference_texts import plain
from rouge_score.rouge_scorer import RougeScorer
from transformers import BertConfig, BertModel, BertTokenizer

from fas.core.records import Answer
from fas.reference.bertscore import BertScorer
from fas.reference.scorer import ReferenceScorer


class _Study:
    def tokenize(self, text):
        stem = PorterStemmer().stem
        return [stem(token) for token in TreebankWordTokenizer().tokenize(text.lower())]


def _study(prediction, references):
    """The study's ROUGE and BLEU, each the best over the references, from the reference packages."""
    rouge = RougeScorer(["rouge1", "rouge2", "rougeL"], tokenizer=_Study())
    split = TreebankWordTokenizer().tokenize
    alone = [rouge.score(reference, prediction) for reference in references]
    bleu = [
        sentence_bleu([split(reference)], split(prediction), smoothing_function=SmoothingFunction().method1)
        for reference in references
    ]
    return {name: max(each[name].fmeasure for each in alone) for name in alone[0]} | {"bleu4": max(bleu)}


def test_scores_against_the_reference_packages():
    rng = random.Random(1)
    answers = [
        Answer(str(i), plain(rng, rng.randint(1, 30)), references=tuple(plain(rng, 15) for _ in range(1 + i % 3)))
        for i in range(6)
    ]
    scores = ReferenceScorer(precision="fp32").score(answers)
    bert = BertScorer(precision="fp32").score(
        [each.prediction for each in answers], [each.references for each in answers]
    )
    for answer, score, similar in zip(answers, scores, bert, strict=True):
        for name, value in _study(answer.prediction, answer.references).items():
            assert getattr(score, name) == pytest.approx(value, abs=1e-12)
        assert score.bertscore_f1 == pytest.approx(similar.f1, abs=1e-6)


def test_bertscore_comes_from_the_disk_the_second_time_without_loading_the_encoder(tmp_path, monkeypatch):
    monkeypatch.setenv("FAS_CACHE_DIR", str(tmp_path))
    answers = [
        Answer("1", "Aspirin relieves pain.", references=("Aspirin helps with pain.",)),
        Answer("2", "", references=("A reference.",)),
    ]
    first = ReferenceScorer(precision="fp32").score(answers)
    second = ReferenceScorer(precision="fp32")
    assert second.score(answers) == first
    assert "_bertscore" not in vars(second)
    assert ReferenceScorer(precision="fp32", cache=False).score(answers) == first
    # Another way of taking several references is another number, and is not answered by the first one's.
    both = [Answer("3", "Aspirin relieves pain.", references=("Aspirin helps with pain.", "It rains."))]
    best, mean = (ReferenceScorer(precision="fp32", multi_reference=how).score(both) for how in ("best", "mean"))
    assert best[0].bertscore_f1 > mean[0].bertscore_f1


def test_signatures_name_what_differs_from_the_study():
    assert ReferenceScorer().signature == "ptb"
    assert ReferenceScorer(bleu_method=3, multi_reference="mean").signature == "ptb[bleu3,mean]"
    assert ReferenceScorer().bertscore_signature == "fas-encoder-mini@1[L6]"


def test_the_signature_tells_two_models_in_folders_of_one_name_apart(tmp_path):
    torch.manual_seed(0)
    found = []
    for parent in ("one", "two"):
        folder = tmp_path / parent / "tiny"
        config = BertConfig(
            vocab_size=30, hidden_size=8, num_hidden_layers=2, num_attention_heads=2, intermediate_size=8
        )
        BertModel(config).save_pretrained(folder)
        (folder / "vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abcdefghi"]))
        BertTokenizer(str(folder / "vocab.txt")).save_pretrained(folder)
        found.append(ReferenceScorer(bertscore_model=str(folder)).bertscore_signature)
        # The scorer itself says the same, without the precision or the weights being asked for.
        assert BertScorer(str(folder)).signature == found[-1]
    assert found[0] != found[1]
    assert all(re.fullmatch(r"tiny@[0-9a-f]{8}\[L2\]", each) for each in found)
