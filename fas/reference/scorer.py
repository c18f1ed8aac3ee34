"""The reference metrics of the Fact-Aligned Score: ROUGE-1/2/L, BLEU-4 and BERTScore F1 per answer."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from functools import cached_property

from fas.core.cache import Cache, content_key
from fas.core.checks import whole_number
from fas.core.records import Answer, ReferenceScores
from fas.core.records.signature import PartSignature
from fas.models.loading import location_identity, pin_version, quiet_loading
from fas.models.paths import resolve_model
from fas.models.precision import PRECISIONS, choose_device, resolve_precision
from fas.reference.bertscore import BertScorer, default_layer
from fas.reference.bleu import METHODS, Bleu
from fas.reference.multi import check_choice
from fas.reference.rouge import Rouge
from fas.reference.tokenizers import tokenizer_names
from fas.text.time_limit import limit_time

MULTI_REFERENCE = ("best", "mean")
# A run meets a reference again, if at all, in the answers of another system beside it. Some two hundred
# references of the embedded encoder fit; a run's memory must not grow with its answers.
_CACHE_BYTES = 1 << 26
# Raised whenever the same texts would get another BERTScore from the same weights.
_METHOD = "6"


class ReferenceScorer:
    """Compares predictions with reference answers.

    Args:
        tokenizer: Tokens of ROUGE: `ptb` (the study's) or another name of
            `fas.reference.tokenizers`. BLEU takes cased Treebank tokens with `ptb`, else the same.
        bleu_method: Smoothing method of Chen and Cherry, 0 to 7.
        bertscore_truncate: Cut texts at the encoder's limit, as the package bert-score does and so the study did;
            by default they are read in overlapping windows. The signature says `truncate`.
        multi_reference: `best` takes the best of several references, for each metric its own
            (ROUGE and BERTScore by F1, BLEU by score); `mean` averages over them.
        cache: Keep BERTScore on disk, by texts and model.

    Attributes:
        text_timeout: Seconds that ROUGE and BLEU of one call may take (`TextTimeoutError`); 0 for no end. BERTScore,
            whose time is that of a model, has none.

    The encoder is loaded at the first answer whose BERTScore is not in the cache.

    Raises:
        ValueError: An argument is not one of its choices.
    """

    def __init__(
        self,
        *,
        tokenizer: str = "ptb",
        bleu_method: int = 1,
        bertscore_model: str = "fas-encoder-mini",
        bertscore_layer: int | None = None,
        precision: str = "auto",
        batch_size: int = 16,
        bertscore_truncate: bool = False,
        multi_reference: str = "best",
        cache: bool = True,
    ) -> None:
        check_choice("tokenizer", tokenizer, tokenizer_names())
        check_choice("multi_reference", multi_reference, MULTI_REFERENCE)
        check_choice("precision", precision, PRECISIONS)
        if bleu_method not in METHODS or isinstance(bleu_method, bool):
            raise ValueError(f"`bleu_method` must be a whole number from 0 to 7, got {bleu_method!r}")
        self._tokenizer = tokenizer
        self._method = bleu_method
        self._model = bertscore_model
        self._layer = bertscore_layer
        self._precision = precision
        self._batch_size = whole_number("batch_size", batch_size)
        if not isinstance(bertscore_truncate, bool):
            raise ValueError(f"`bertscore_truncate` must be true or false, got {bertscore_truncate!r}")
        self.truncated = bertscore_truncate
        """Whether texts longer than the encoder reads at once are cut there, instead of read in windows."""
        self._multi_reference = multi_reference
        self._cache = Cache("bertscore") if cache else None
        self._n_long = 0
        self.text_timeout = 0.0

    @property
    def signature(self) -> str:
        """What pins ROUGE and BLEU, e.g. `ptb`; settings other than the study's are added."""
        settings = []
        if self._method != 1:
            settings.append(f"bleu{self._method}")
        if self._multi_reference != "best":
            settings.append(self._multi_reference)
        return PartSignature(self._tokenizer, *settings)

    @cached_property
    def bertscore_signature(self) -> str:
        """What pins BERTScore, e.g. `fas-encoder-mini@1[L6]`, without loading the model."""
        location, name = resolve_model(self._model)
        with quiet_loading(self._model):
            name = pin_version(name, location_identity(location))
            if self._layer is None:
                self._layer = default_layer(self._model)
        return f"{name}[L{self._layer}{',truncate' if self.truncated else ''}]"

    @property
    def n_long(self) -> int:
        """How many texts were longer than the encoder reads at once, and were read in windows."""
        return self._n_long

    def recount(self) -> None:
        """Forget what was counted."""
        self._n_long = 0

    def score(self, answers: Sequence[Answer]) -> list[ReferenceScores]:
        """The scores of each answer, in order.

        An answer without references has NaN everywhere; an empty prediction with references has
        0 everywhere. A reference that is empty scores 0 like any other text without words.
        """
        compared = [i for i, answer in enumerate(answers) if answer.references]
        result = [ReferenceScores()] * len(answers)
        if not compared:
            return result
        predictions = [answers[i].prediction for i in compared]
        references = [answers[i].references for i in compared]
        similar = self._score_similarity(predictions, references)
        how = self._multi_reference
        by_rouge, by_bleu = self._rouge, self._bleu  # loaded before the time runs
        with limit_time(self.text_timeout):
            for i, prediction, others, bert in zip(compared, predictions, references, similar, strict=True):
                rouge = by_rouge.score(prediction, others, multi_reference=how)
                bleu = by_bleu.sentence(prediction, others, method=self._method, multi_reference=how)
                result[i] = ReferenceScores(
                    rouge1=rouge["rouge1"].f1,
                    rouge2=rouge["rouge2"].f1,
                    rougeL=rouge["rougeL"].f1,
                    bleu4=bleu.score,
                    bertscore_f1=0.0 if math.isnan(bert) and not prediction.strip() else bert,
                )
        return result

    def _score_similarity(self, predictions: Sequence[str], references: Sequence[Sequence[str]]) -> list[float]:
        """BERTScore F1 of each prediction, from the cache where it has been computed before."""
        texts = zip(predictions, references, strict=True)
        keys = [content_key(self._bertscore_identity, one, *others) for one, others in texts]
        known: dict[str, float] = {}
        if self._cache is not None:
            known = {key: json.loads(value) for key, value in self._cache.get_many(keys).items()}
        todo = [i for i, key in enumerate(keys) if key not in known]
        if todo:
            before = self._bertscore.n_long
            scores = self._bertscore.score(
                [predictions[i] for i in todo], [references[i] for i in todo], multi_reference=self._multi_reference
            )
            computed = {keys[i]: float(score.f1) for i, score in zip(todo, scores, strict=True)}
            n_long = self._bertscore.n_long - before
            self._n_long += n_long
            # Long texts are counted and announced; a run that found them in the cache would keep silent.
            if self._cache is not None and not n_long:
                self._cache.put_many((key, json.dumps(value).encode()) for key, value in computed.items())
            known.update(computed)
        return [known[key] for key in keys]

    @cached_property
    def _bertscore_identity(self) -> str:
        """Everything that a BERTScore depends on, apart from the texts."""
        with quiet_loading(self._model):
            weights = location_identity(resolve_model(self._model)[0])
        dtype = resolve_precision(self._precision, choose_device())
        return "|".join((_METHOD, self.bertscore_signature, weights, str(dtype), self._multi_reference))

    @cached_property
    def _rouge(self) -> Rouge:
        return Rouge(tokenizer=self._tokenizer)

    @cached_property
    def _bleu(self) -> Bleu:
        return Bleu(tokenizer="treebank" if self._tokenizer == "ptb" else self._tokenizer)

    @cached_property
    def _bertscore(self) -> BertScorer:
        return BertScorer(
            self._model,
            self._layer,
            precision=self._precision,
            batch_size=self._batch_size,
            truncate=self.truncated,
            cache_bytes=_CACHE_BYTES,
        )
