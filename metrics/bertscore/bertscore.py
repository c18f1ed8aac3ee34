"""BERTScore as an `evaluate` metric, with the numbers of bert-score; the score is `fas.reference.bertscore`."""

import evaluate

from fas.reference.bertscore import BertScorer, default_layer, package_model, read_baseline  # From: fact-aligned-score
from fas.reference.borders import ReferenceLists, check_options, numbers  # From: fact-aligned-score

_DESCRIPTION = """
BERTScore (Zhang et al., 2020) matches every token of a text with the most similar one of a reference, by the cosine of
their states in a language model. Runs without a network with the embedded encoder; any other encoder can be named.
"""
_INPUTS = """
Args:
    predictions (list of str): Texts to score.
    references (list of str or list of list of str): One or more references per prediction.
    lang (str): Language; chooses the model bert-score recommends for it (needs the hub, or its cache).
    model_type (str): Name or folder of the model; the embedded `fas-encoder-mini` if neither is given.
    num_layers (int): Layer; by default bert-score's choice for a hub name, else the last.
    verbose (bool): Log how many texts there are.
    idf (bool or dict): Weight tokens by inverse document frequency over the references, or by this dict of token ids.
    device (str): Torch device.
    batch_size (int): Most texts in a batch.
    nthreads (int): Accepted for compatibility; tokenizing needs no processes.
    all_layers (bool): Score every layer; each result is then a list (layers) of lists (predictions).
    rescale_with_baseline (bool): Rescale so that unrelated texts score 0; needs `lang` or `baseline_path`.
    baseline_path (str): Table of baselines, CSV with the columns LAYER, P, R, F.
    use_fast_tokenizer (bool): Accepted for compatibility; there is one tokenizer per model now.
    multi_reference (str): `bert_score` (default: highest precision, recall and F1, each for itself), `best` (the
        reference with the highest F1) or `mean`.
    truncate (bool): Cut long texts at the model's limit, as bert-score does; by default they are read in windows.
    precision (str): `fp32` (default), `bf16` or `auto`.
    padding (bool): Treat padding as bert-score does (default), so that the numbers are the same; a token less similar
        than 0 to every token of a shorter text then counts as 0. False makes each score independent of the others.
    details (bool): Add `details`: for each prediction precision, recall, f1 and the index of the reference.
Returns:
    precision, recall and f1 (lists, one number per prediction; their means with numbers_only) and hashcode, which names
    model and settings.
"""
_CITATION = """
@inproceedings{zhang-2020-bertscore,
  title = {{BERTScore}: Evaluating Text Generation with {BERT}},
  author = {Zhang, Tianyi and Kishore, Varsha and Wu, Felix and Weinberger, Kilian Q. and Artzi, Yoav},
  booktitle = {International Conference on Learning Representations},
  year = {2020}
}
"""


class BertScoreMetric(ReferenceLists, evaluate.Metric):
    """The adapter."""

    def _info(self):
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_INPUTS,
            features=self.columns(),
            reference_urls=["https://openreview.net/forum?id=SkeHuCVFDr"],
        )

    def _compute(
        self,
        predictions,
        references,
        lang=None,
        model_type=None,
        num_layers=None,
        verbose=False,
        idf=False,
        device=None,
        batch_size=64,
        nthreads=4,
        all_layers=False,
        rescale_with_baseline=False,
        baseline_path=None,
        use_fast_tokenizer=False,
        multi_reference="bert_score",
        truncate=False,
        precision="fp32",
        padding=True,
        details=False,
        numbers_only=False,
        **others,
    ):
        check_options("bertscore", others)
        model = model_type or (package_model(lang) if lang else "fas-encoder-mini")
        layer = default_layer(model) if num_layers is None else num_layers
        baseline = read_baseline(model, layer, language=lang, path=baseline_path) if rescale_with_baseline else None
        settings = {
            "all_layers": all_layers,
            "idf": idf,
            "precision": precision,
            "batch_size": batch_size,
            "device": device,
            "truncate": truncate,
            "baseline": baseline,
            "padding": batch_size if padding else None,
        }
        scorer = self.kept((model, layer, settings), lambda: BertScorer(model, layer, **settings))
        if idf is True:
            scorer.fit_idf([text for lists in references for text in lists])
        if verbose:
            logger = evaluate.logging.get_logger(__name__)
            logger.info("BERTScore of %d texts by %s", len(predictions), scorer.signature)
        score = scorer.score_layers if all_layers else scorer.score
        scores = score(predictions, references, multi_reference=multi_reference)
        # One list per layer if all are asked for.
        rows = [list(layer) for layer in zip(*scores, strict=True)] if all_layers else [scores]
        result = {}
        for name in ("precision", "recall", "f1"):
            values = [[getattr(each, name) for each in row] for row in rows]
            result[name] = values if all_layers else values[0]
        result["hashcode"] = scorer.hashcode
        if details:
            shown = [[each._asdict() for each in row] for row in rows]
            result["details"] = shown if all_layers else shown[0]
        if numbers_only and not all_layers:
            return {name: sum(result[name]) / len(result[name]) for name in ("precision", "recall", "f1")}
        return numbers(result) if numbers_only else result
