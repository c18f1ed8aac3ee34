"""The reference metrics by the published packages: `rouge-score`, nltk's BLEU and `bert-score`.

A second engine, slower and built of nothing of ours but the study's tokens: `[reference] engine = "packages"` scores
with it, `fas results check-reference` recomputes a finished run. BERTScore is computed a pair at a time in fp32 (in
batches the package counts similarities to padding), on texts cut at the encoder's limit, as the package does.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

from fas.reference.tokenizers import Treebank

METRICS = ("rouge1", "rouge2", "rougeL", "bleu4", "bertscore_f1")


class _StudyTokens:
    """`rouge-score`'s tokenizer in the study's way: Porter stems of lower-cased Penn Treebank tokens, all of them."""

    def __init__(self) -> None:
        from nltk.stem import PorterStemmer
        from nltk.tokenize.treebank import TreebankWordTokenizer

        self._stem, self._tokens = PorterStemmer().stem, TreebankWordTokenizer().tokenize

    def tokenize(self, text: str) -> list[str]:
        """Its stems."""
        return [self._stem(token) for token in self._tokens(text.lower())]


class PackageScores(NamedTuple):
    """The scores of one answer; `cut` says that a text was longer than the encoder reads."""

    rouge1: float
    rouge2: float
    rougeL: float  # noqa: N815 - the metric's name
    bleu4: float
    bertscore_f1: float
    cut: bool


class PackageScorer:
    """Scores by the packages, the best over several references, as `ReferenceScorer` takes it.

    Args:
        bleu_method: Smoothing method of Chen and Cherry, 0 to 7.
        model: Encoder of BERTScore: embedded model, hub name or folder.
        layer: Its layer.

    Raises:
        LookupError: There is no such model.
    """

    def __init__(self, *, bleu_method: int = 1, model: str = "fas-encoder-mini", layer: int) -> None:
        from nltk.translate.bleu_score import SmoothingFunction
        from rouge_score import rouge_scorer

        self._rouge = rouge_scorer.RougeScorer(["rouge1", "rouge2", "rougeL"], tokenizer=_StudyTokens())
        self._smooth = getattr(SmoothingFunction(), f"method{bleu_method}")
        self._cased = Treebank()
        self._model, self._layer = model, layer
        self._bert: Any = None

    def score(self, prediction: str, references: Sequence[str]) -> PackageScores:
        """The scores of a prediction that has references; an empty one has 0 everywhere."""
        rouge = [self._rouge.score(reference, prediction) for reference in references]
        bert, cut = self._bertscore(prediction, references)
        rouge1, rouge2, rouge_l = (max(one[n].fmeasure for one in rouge) for n in ("rouge1", "rouge2", "rougeL"))
        bleu = max(self._bleu(prediction, reference) for reference in references)
        return PackageScores(rouge1, rouge2, rouge_l, bleu, bert, cut)

    def _bleu(self, prediction: str, reference: str) -> float:
        from nltk.translate.bleu_score import sentence_bleu

        said, expected = self._cased(prediction), self._cased(reference)
        if not said or not expected:
            return 0.0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return float(sentence_bleu([expected], said, smoothing_function=self._smooth))

    def _bertscore(self, prediction: str, references: Sequence[str]) -> tuple[float, bool]:
        if not prediction.strip():
            return 0.0, False
        scorer = self._loaded()
        found, cut = [], self._long(prediction)
        for reference in references:
            if not reference.strip():
                found.append(0.0)
                continue
            cut = cut or self._long(reference)
            _, _, f1 = scorer.score([prediction], [reference], batch_size=1)
            found.append(float(f1[0]))
        return max(found), cut

    def _long(self, text: str) -> bool:
        tokenizer = self._loaded()._tokenizer
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return len(tokenizer(text)["input_ids"]) > int(tokenizer.model_max_length)

    def _loaded(self) -> Any:
        if self._bert is None:
            from bert_score import BERTScorer

            from fas.models.loading import quiet_loading
            from fas.models.paths import resolve_model

            location, _ = resolve_model(self._model)
            with quiet_loading(self._model):
                self._bert = BERTScorer(model_type=str(location), num_layers=self._layer, device="cpu", nthreads=0)
        return self._bert
