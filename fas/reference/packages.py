"""The reference metrics by the published packages: `rouge-score`, nltk's BLEU and `bert-score`.

`fas results check-reference` recomputes a finished run with them, and `metrics/bertscore` takes from bert-score what
ours lacks. The check computes BERTScore one pair at a time in fp32 (in batches the package counts similarities to
padding), on texts cut at the encoder's limit, as the package does.
"""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from fas.core.loading import import_extra
from fas.models.loading import quiet_loading
from fas.models.paths import resolve_model
from fas.reference.bleu import Bleu
from fas.reference.rouge import Tokens
from fas.reference.tokenizers import load_tokenizer

METRICS = ("rouge1", "rouge2", "rougeL", "bleu4", "bertscore_f1")


class PackageScores(NamedTuple):
    """The scores of one answer; `cut` says that a text was longer than the encoder reads."""

    rouge1: float
    rouge2: float
    rougeL: float  # noqa: N815 - the metric's name
    bleu4: float
    bertscore_f1: float
    cut: bool


class PackageScorer:
    """Scores by the packages, the best over several references, as `ReferenceScorer` takes it."""

    def __init__(self, *, bleu_method: int = 1, model: str = "fas-encoder-mini", layer: int) -> None:
        rouge = import_extra("rouge_score.rouge_scorer", "packages").RougeScorer
        self._rouge = rouge(["rouge1", "rouge2", "rougeL"], tokenizer=Tokens(load_tokenizer("ptb")))
        self._bleu, self._bleu_method = Bleu(), bleu_method
        self._model, self._layer = model, layer

    def score(self, prediction: str, references: Sequence[str]) -> PackageScores:
        """The scores of a prediction that has references; an empty one has 0 everywhere."""
        rouge = [self._rouge.score(reference, prediction) for reference in references]
        bert, cut = self._score_similarity(prediction, references)
        rouge1, rouge2, rouge_l = (max(one[n].fmeasure for one in rouge) for n in ("rouge1", "rouge2", "rougeL"))
        bleu = self._bleu.sentence(prediction, references, method=self._bleu_method).score
        return PackageScores(rouge1, rouge2, rouge_l, bleu, bert, cut)

    def _score_similarity(self, prediction: str, references: Sequence[str]) -> tuple[float, bool]:
        if not prediction.strip():
            return 0.0, False
        found, cut = [], self._is_long(prediction)
        for reference in references:
            if not reference.strip():
                found.append(0.0)
                continue
            cut = cut or self._is_long(reference)
            _, _, f1 = self._bert.score([prediction], [reference], batch_size=1)
            found.append(float(f1[0]))
        return max(found), cut

    def _is_long(self, text: str) -> bool:
        tokenizer = self._bert._tokenizer
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return len(tokenizer(text)["input_ids"]) > int(tokenizer.model_max_length)

    @cached_property
    def _bert(self) -> Any:
        location, _ = resolve_model(self._model)
        package = import_extra("bert_score", "packages")
        with quiet_loading(self._model):
            return package.BERTScorer(model_type=str(location), num_layers=self._layer, device="cpu", nthreads=0)


def package_scores(
    predictions: Sequence[str],
    references: Sequence[Sequence[str]],
    *,
    idf: bool | Mapping[int, float],
    batch_size: int,
    **options: Any,
) -> tuple[list[list[list[float]]], str]:
    """BERTScore by bert-score with any *options* of its `BERTScorer`.

    Of several references the highest precision, recall and F1 count, each for itself. *idf*: weights by inverse
    document frequency over the references, or the weights of token ids. For each layer (one but for `all_layers`)
    precision, recall and F1 of each prediction, and the package's hash.
    """
    package = import_extra("bert_score", "packages")
    texts = [text for each in references for text in each] if idf is True else None
    with quiet_loading(str(options.get("model_type") or options.get("lang"))):
        scorer = package.BERTScorer(idf=bool(idf), idf_sents=texts, **options)
    if isinstance(idf, Mapping):
        scorer._idf_dict = defaultdict(lambda: max(idf.values(), default=0.0), idf)
    tokenizer = scorer._tokenizer
    # For an empty text the package asks for what transformers 5 no longer has.
    tokenizer.build_inputs_with_special_tokens = lambda ids: tokenizer.encode("", add_special_tokens=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pandas 3 gives the package an array of baselines that torch finds read-only
        # One reference a pair: the package takes the best of several along the wrong axis with `all_layers`.
        pairs = [(text, other) for text, each in zip(predictions, references, strict=True) for other in each]
        found = scorer.score([text for text, _ in pairs], [other for _, other in pairs], batch_size=batch_size)
    layers: list[list[list[float]]] = []
    for columns in zip(*(each.reshape(-1, len(pairs)).tolist() for each in found), strict=True):
        rows, start = [], 0
        for each in references:
            rows.append([max(column[start : start + len(each)]) for column in columns])
            start += len(each)
        layers.append(rows)
    return layers, scorer.hash
