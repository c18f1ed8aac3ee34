"""BERTScore as an `evaluate` metric, with the numbers of bert-score; the score is `fas.reference.bertscore`."""

from importlib.metadata import version

import evaluate

from fas.integrations.evaluate_modules.inputs import ReferenceLists, check_options, numbers  # From: fact-aligned-score
from fas.models.paths import resolve_model  # From: fact-aligned-score
from fas.reference.bertscore import BertScore, BertScorer, default_layer  # From: fact-aligned-score
from fas.reference.packages import package_scores  # From: fact-aligned-score

_DESCRIPTION = """
BERTScore (Zhang et al., 2020) matches every token of a text with the most similar one of a reference, by the cosine of
their states in a language model. Runs without a network with the embedded encoder; any other encoder can be named.
With lang, idf, all_layers or rescale_with_baseline the package bert-score computes it.
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
    nthreads (int): Processes of bert-score's tokenizer.
    all_layers (bool): Score every layer; each result is then a list (layers) of lists (predictions).
    rescale_with_baseline (bool): Rescale so that unrelated texts score 0; needs `lang` or `baseline_path`.
    baseline_path (str): Table of baselines, CSV with the columns LAYER, P, R, F.
    use_fast_tokenizer (bool): As in bert-score.
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
        others = {"multi_reference": (multi_reference, "bert_score"), "precision": (precision, "fp32")}
        if lang or idf or all_layers or rescale_with_baseline:
            for name, (given, only) in others.items():
                if given != only:
                    raise ValueError(f"with lang, idf, all_layers or rescale_with_baseline {name} is {only!r}")
            if lang is None and model_type is None:
                model_type = "fas-encoder-mini"
            if num_layers is None and model_type is not None:
                num_layers = default_layer(model_type)
            package = {
                "model_type": model_type and str(resolve_model(model_type)[0]),
                "num_layers": num_layers,
                "batch_size": batch_size,
                "nthreads": nthreads,
                "all_layers": all_layers,
                "idf": idf,
                "device": device,
                "lang": lang,
                "rescale_with_baseline": rescale_with_baseline,
                "baseline_path": baseline_path,
                "use_fast_tokenizer": use_fast_tokenizer,
            }
            found, hashcode = package_scores(predictions, references, **package)
            rows = [[BertScore(*each, None) for each in row] for row in found]
        else:
            model = model_type or "fas-encoder-mini"
            layer = default_layer(model) if num_layers is None else num_layers
            settings = {
                "precision": precision,
                "batch_size": batch_size,
                "device": device,
                "truncate": truncate,
                "padding": batch_size if padding else None,
            }
            scorer = self.get_or_make((model, layer, settings), lambda: BertScorer(model, layer, **settings))
            rows = [scorer.score(predictions, references, multi_reference=multi_reference)]
            versions = f"version=fas-{version('fact-aligned-score')}(hug_trans={version('transformers')})"
            hashcode = f"{model}_L{layer}_no-idf_{versions}"
        if verbose:
            evaluate.logging.get_logger(__name__).info("BERTScore of %d texts by %s", len(predictions), hashcode)
        result = {}
        for name in ("precision", "recall", "f1"):
            values = [[getattr(each, name) for each in row] for row in rows]
            result[name] = values if all_layers else values[0]
        result["hashcode"] = hashcode
        if details:
            shown = [[each._asdict() for each in row] for row in rows]
            result["details"] = shown if all_layers else shown[0]
        if numbers_only and not all_layers:
            return {name: sum(result[name]) / len(result[name]) for name in ("precision", "recall", "f1")}
        return numbers(result) if numbers_only else result
