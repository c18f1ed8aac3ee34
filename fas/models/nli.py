"""Three-way NLI: any sequence-classification checkpoint behind one call.

The label order is read from the checkpoint's config. A checkpoint that does not name its
labels must be given the order; the order is then checked on a few self-evident pairs, because
a wrong one turns support into contradiction without any other sign.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import permutations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fas.core.loading import load_once, loading
from fas.models.accelerator import choose_silently, is_accelerator
from fas.models.batched import BatchedModel, Columns
from fas.models.difference import Kept
from fas.models.encoder import printable
from fas.models.fastlinear import pack_linear_layers
from fas.models.first_token import read_first_token_only
from fas.models.loading import pin_version, position_limit, quiet_loading, weights_identity
from fas.models.mapped import map_word_table
from fas.models.paths import model_folder, resolve_model
from fas.models.precision import choose_device, resolve_precision
from fas.models.readout import CONFIG_KEY, VERSION, read_out
from fas.models.side_by_side import lay_side_by_side, logits_of_row, row_length

if TYPE_CHECKING:
    import numpy.typing as npt
    import torch

    Logits = npt.NDArray[np.float32]

CLASSES = ("entailment", "neutral", "contradiction")
READS_PASSAGES_KEY = "fas_reads_passages"
"""Where a model's `config.json` says that it was trained on whole passages instead of sentences."""
# Left to the premise at least, when a claim is nearly as long as the model's window.
MIN_PREMISE_TOKENS = 16

_SELF_EVIDENT = (
    ("The patient has a fever and a cough.", "The patient has a fever.", "entailment"),
    ("All of the children were vaccinated.", "The children were vaccinated.", "entailment"),
    ("The drug lowered blood pressure.", "The drug did not lower blood pressure.", "contradiction"),
    ("Nobody in the trial died.", "Several people in the trial died.", "contradiction"),
    ("A man is walking in the park.", "The man is a dentist from Oslo.", "neutral"),
    ("The study enrolled 200 adults.", "The study was paid for by a bank.", "neutral"),
)


class NliModel(BatchedModel):
    """A cross-encoder that says whether a premise entails or contradicts a hypothesis.

    *labels* are the checkpoint's classes in order (entailment, neutral, contradiction), by default read from its
    config. *max_length* counts tokens of premise and hypothesis together; the premise is cut, never the hypothesis.
    *stream* batches as accelerators want it (`fas.models.accelerator`), by default on such a device.

    Raises:
        ValueError: The classes are not named and no order was given, or the given order does not fit what the model
            says about self-evident pairs.
        LookupError: There is no such model.
    """

    def __init__(
        self,
        name: str = "fas-nli-mini",
        *,
        labels: Sequence[str] | None = None,
        max_length: int = 512,
        precision: str = "auto",
        device: str | None = None,
        stream: bool | None = None,
    ) -> None:
        with loading():
            import torch
            from transformers import AutoTokenizer

        super().__init__()
        location, signature = resolve_model(name)
        self.device = choose_device(device)
        self.dtype = resolve_precision(precision, self.device)
        with quiet_loading(name):
            kept = Kept.at(location)
            place = location if kept is None else kept.place()
            self.tokenizer = AutoTokenizer.from_pretrained(place, trust_remote_code=False)
            self.model = load_classifier(location, self.dtype).to(self.device).eval()
            self._streams = is_accelerator(self.device) if stream is None else stream
            is_short = read_first_token_only(self.model)
            pack_linear_layers(self.model)
            map_word_table(self.model, _list_tables(location))
            self._is_side_by_side = is_short and not self._streams and lay_side_by_side(self.model)
        self.is_reduced = self.dtype != torch.float32
        """Whether it computes in fewer bits than the reference, fp32."""
        self.reads_out = _reads_out(name, self.model.config)
        """Whether it was trained on premises whose numbers are read out, and is given them so."""
        self.reads_passages = bool(getattr(self.model.config, READS_PASSAGES_KEY, False))
        """Whether it was trained on whole passages, and is given them so."""
        named = _read_class_names(self.model.config)
        self._order = _order_classes(name, labels, named, int(self.model.config.num_labels))
        configured = int(getattr(self.model.config, "max_position_embeddings", 0) or max_length)
        self.max_length = min(max_length, position_limit(self.model) or configured)
        weights = weights_identity(location, self.model.config)
        self.signature = pin_version(signature, weights) if kept is None else f"{signature}+{kept.signature}"
        self.identity = f"{self.signature}|{weights}|{self.dtype}|{self._order}"
        self._budget_key, self._names = f"nli|{self.identity}", self.tokenizer.model_input_names
        if labels is not None and named is None:
            self._check_order(name)

    def logits(self, pairs: Sequence[tuple[str, str]], *, batch_size: int = 32, told: bool = False) -> Logits:
        """Logits of (premise, hypothesis) pairs, shape `[n, 3]`, columns as in `CLASSES`.

        On a processor those of a BERT classifier depend on the pair alone, to the bit: not on the pairs beside it, and
        not on the number of threads. *batch_size* is that of other families there.

        A model that `reads_out` numbers is given the premises so, unless *told* says that they are already.
        Pairs whose hypothesis leaves no room for a premise (see `fits`) give a row of NaN.
        """
        result = np.full((len(pairs), 3), np.nan, dtype=np.float32)
        usable = [i for i, (_, hypothesis) in enumerate(pairs) if self.fits(hypothesis)]
        if not usable:
            return result
        read = read_out if self.reads_out and not told else str
        texts = [(printable(read(pairs[i][0])), printable(pairs[i][1])) for i in usable]
        rows = self._rows_of_texts(
            [len(premise) + len(hypothesis) for premise, hypothesis in texts],
            lambda chosen: self._encode([texts[i] for i in chosen]),
            tokens=batch_size * max(128, self.max_length // 4),
            most=batch_size,
        )
        result[usable] = rows[:, self._order]
        return result

    def _encode(self, texts: Sequence[tuple[str, str]]) -> dict[str, list[list[int]]]:
        premises, hypotheses = [premise for premise, _ in texts], [hypothesis for _, hypothesis in texts]
        return self._tokenize(premises, hypotheses, truncation="only_first", max_length=self.max_length)

    def fits(self, hypothesis: str) -> bool:
        """Whether *hypothesis* leaves room for a premise within `max_length`."""
        text = printable(hypothesis)
        room = self.max_length - MIN_PREMISE_TOKENS - 4
        # A token stands for at least one byte (an emoji may be four), so short texts need no tokenizer.
        return len(text.encode()) <= room or self.count(text) <= room

    def _run_row(self, columns: Columns) -> Logits:
        import torch

        ids = columns["input_ids"]
        with torch.inference_mode():
            found = logits_of_row(self.model, ids, columns.get("token_type_ids"), row_length(ids))
        rows: Logits = found.float().numpy()
        return rows

    def _forward(self, features: Mapping[str, torch.Tensor]) -> torch.Tensor:
        logits: torch.Tensor = self.model(**choose_silently(self.model, features)).logits
        return logits

    def _check_order(self, name: str) -> None:
        logits = self.logits([(premise, hypothesis) for premise, hypothesis, _ in _SELF_EVIDENT])
        truth = [label for _, _, label in _SELF_EVIDENT]
        right = _count_right(logits.argmax(axis=1).tolist(), CLASSES, truth)
        if right >= len(truth) - 1:
            return
        raw = logits[:, [self._order.index(column) for column in range(3)]].argmax(axis=1).tolist()
        best = max(permutations(CLASSES), key=lambda order: _count_right(raw, order, truth))
        fits = _count_right(raw, best, truth)
        advice = (
            f"`labels = {list(best)}` would judge {fits} right"
            if fits >= len(truth) - 1
            else f"no other order does better than {fits}; the model was probably not trained for inference"
        )
        raise ValueError(
            f"model {name!r}: with the given `labels` it judges {right} of {len(truth)} self-evident pairs right; "
            f"{advice}"
        )


def _count_right(guesses: Sequence[int], order: Sequence[str], truth: Sequence[str]) -> int:
    return sum(order[guess] == label for guess, label in zip(guesses, truth, strict=True))


@loading()
def load_classifier(location: str, dtype: Any) -> Any:
    """The checkpoint in folder *location* as its library class, in *dtype*, as stored: no layer packed.

    Raises:
        ValueError: It has no classification head, or its weights do not fit its architecture.
    """
    import torch
    from transformers import AutoConfig, AutoModelForSequenceClassification

    kept = Kept.at(location)
    if kept is not None:
        return kept.classifier(dtype)
    folder = Path(location)
    shared = folder / "shared_embeddings.json"
    if not shared.is_file():
        # In fp32 and then converted: transformers loads in the number format of the whole process, which other threads
        # may be computing in.
        model, found = AutoModelForSequenceClassification.from_pretrained(
            location, dtype=torch.float32, output_loading_info=True, trust_remote_code=False, use_safetensors=True
        )
        if found["missing_keys"]:
            # transformers makes them up at random, and says so only in a log.
            missing = ", ".join(sorted(found["missing_keys"])[:3])
            raise ValueError(f"model {location!r} was not trained to classify: it has no weights for {missing}")
        return model.to(dtype)
    # The embedding table was frozen in training, so it lies on disk once, with the encoder.
    from safetensors.torch import load_file

    instructions = json.loads(shared.read_text(encoding="utf-8"))
    state = load_file(folder / "model.safetensors")
    donor = load_file(model_folder(instructions["from"]) / "model.safetensors")
    state.update({instructions["prefix"] + key: donor[key] for key in donor if key.startswith("embeddings.")})
    config = AutoConfig.from_pretrained(location, trust_remote_code=False)
    model = AutoModelForSequenceClassification.from_config(config, trust_remote_code=False)
    missing, unexpected = model.load_state_dict({key: value.float() for key, value in state.items()}, strict=False)
    problems = [key for key in (*missing, *unexpected) if "position_ids" not in key]
    if problems:
        raise ValueError(f"model {location!r}: weights do not fit the architecture: {', '.join(problems[:3])}")
    return model.to(dtype)


def _list_tables(location: str) -> list[Path]:
    """Where the table of word vectors of the model at *location* may lie."""
    shared = Path(location) / "shared_embeddings.json"
    if not shared.is_file():
        return [Path(location) / "model.safetensors"]
    return [model_folder(json.loads(shared.read_text(encoding="utf-8"))["from"]) / "model.safetensors"]


def _reads_out(name: str, config: Any) -> bool:
    """Whether premises are given with their numbers read out, as the weights were trained."""
    version = getattr(config, CONFIG_KEY, 0)
    if version not in (0, VERSION):
        raise ValueError(
            f"model {name!r} reads numbers as version {version} writes them; this package has version {VERSION}"
        )
    return bool(version)


def _read_class_names(config: Any) -> list[str] | None:
    names = [str(config.id2label[i]).lower() for i in range(int(config.num_labels))]
    found = [next((c for c in CLASSES if name.startswith(c[:6])), None) for name in names]
    if len(found) == 3 and set(found) == set(CLASSES):
        return [str(name) for name in found]
    return None


def _order_classes(name: str, labels: Sequence[str] | None, named: list[str] | None, n: int) -> list[int]:
    """Positions of entailment, neutral and contradiction among the model's outputs."""
    if n != 3:
        raise ValueError(f"model {name!r} has {n} classes; a three-way NLI model is needed")
    if labels is not None:
        given = [str(label).lower() for label in labels]
        if sorted(given) != sorted(CLASSES):
            raise ValueError(f"`labels` must be {', '.join(CLASSES)} in the order of the model, got {list(labels)!r}")
        if named is not None and named != given:
            raise ValueError(f"model {name!r} names its classes {named}, but `labels` says {given}; leave `labels` out")
    else:
        if named is None:
            raise ValueError(
                f"model {name!r} does not name its classes; give their order, for example "
                '`labels = ["contradiction", "neutral", "entailment"]` in [verify]'
            )
        given = named
    return [given.index(label) for label in CLASSES]


@load_once(4)
def load_nli(
    name: str = "fas-nli-mini", *, labels: tuple[str, ...] | None = None, max_length: int = 512, precision: str = "auto"
) -> NliModel:
    """A shared model; loaded once per set of arguments."""
    return NliModel(name, labels=labels, max_length=max_length, precision=precision)
