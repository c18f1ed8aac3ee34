"""What a teacher says of pairs that nobody labelled, and the small model that is kept without its embeddings."""

from __future__ import annotations

import gzip
import json
import random

import numpy as np
import pytest
import torch

from fas.models.nli import NliModel
from fas.models.paths import model_folder
from fas.models.trunks import file_sha256


def lines(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


@pytest.fixture(scope="module")
def teacher():
    return NliModel("fas-nli-mini", precision="fp32")


def test_a_teacher_is_asked_once_and_its_word_is_the_softmax_of_its_logits(nli_script, teacher, tmp_path):
    taught, pair = nli_script("taught"), nli_script("data").Pair
    pairs = [pair(f"Zinc shortened colds by {n} days.", "Zinc shortens colds.", -1) for n in range(2, 7)]
    pairs.insert(2, pair("Zinc.", "cold " * 600, -1))  # leaves no room for a passage
    found = taught.ask(teacher, pairs, tmp_path, each=2)
    assert [p.premise for p in found] == [p.premise for p in pairs if p.premise != "Zinc."]
    logits = torch.tensor(teacher.logits([(p.premise, p.hypothesis) for p in found]))
    assert np.allclose([p.taught for p in found], logits.softmax(-1), atol=1e-3)
    assert len(list(tmp_path.glob("said-*.npy"))) == 3
    assert taught.ask(None, pairs, tmp_path, each=2) == found, "what is kept is not asked again"
    (tmp_path / "said-2.npy").unlink()
    assert taught.ask(teacher, pairs, tmp_path, each=2) == found, "asking goes on where it was interrupted"


@pytest.fixture
def folder(tmp_path):
    """A data folder with a few abstracts, one of which a measured claim cites, and stored answers to two questions."""
    drugs = ("zinc", "aspirin", "metformin", "warfarin", "insulin", "ibuprofen", "codeine", "lithium")
    abstract = (
        "Background information on {d} is given here for the reader of the text.",
        "{D} reduced mortality in adults with chronic heart failure.",
        "{D} was associated with a lower risk of stroke in older patients.",
        "Treatment with {d} improved survival after one year of follow-up.",
    )
    corpus = [
        {"doc_id": n, "title": f"On {d}", "abstract": [s.format(d=d, D=d.capitalize()) for s in abstract]}
        for n, d in enumerate(drugs)
    ]
    train = tmp_path / "train"
    lines(train / "scifact/corpus.jsonl.gz", corpus)
    lines(train / "scifact/claims_train_pairs.jsonl.gz", [{"doc_id": 0}])
    for name in ("evidence_inference/abstracts", "check_covid/check_covid", "clinifact/clinifact_pairs"):
        lines(train / f"{name}.jsonl.gz", [])
    told = "{d} helps against headache in most adults. {d} is taken twice a day with water."
    answers = [
        {"dataset": name, "question": f"{name}?", "answer": told.format(d=drug)}
        for name in ("live_qa", "kqa_golden")
        for drug in ("Paracetamol", "Naproxen", "Ketorolac")
    ]
    lines(tmp_path / "eval/medlfqa/predictions/model_samples.jsonl.gz", answers)
    return tmp_path


def test_unlabelled_pairs_stand_beside_other_sentences_and_leave_out_what_measures(nli_script, folder):
    made = nli_script("unlabelled").unlabelled_pairs(folder, seed=3)
    assert made == nli_script("unlabelled").unlabelled_pairs(folder, seed=3)
    assert made != nli_script("unlabelled").unlabelled_pairs(folder, seed=4)
    assert {pair.label for pair in made} == {-1}
    assert all(pair.hypothesis not in pair.premise for pair in made), "no claim beside the sentence it comes from"
    told = " ".join(pair.premise + pair.hypothesis for pair in made)
    assert "zinc" not in told.lower(), "a measured claim cites it"
    answered = {pair.hypothesis for pair in made if "headache" in pair.hypothesis}
    beside = [pair for pair in made if pair.hypothesis in answered and "headache" in pair.premise]
    assert beside
    assert all(pair.premise.split()[0] != pair.hypothesis.split()[0] for pair in beside), "other answers only"
    lines(folder / "eval/medlfqa/predictions/model_samples.jsonl.gz", [])
    alone = nli_script("unlabelled").unlabelled_pairs(folder, seed=3)
    assert answered
    assert not answered & {pair.hypothesis for pair in alone}


def test_an_epoch_takes_what_the_teacher_judged_as_it_takes_a_set(nli_script, tmp_path):
    mixture, pair = nli_script("mixture"), nli_script("data").Pair
    pool = [pair(f"p{n}", "h", -1, taught=(0.5, 0.25, 0.25)) for n in range(40)]
    options = {"characters": 100, "pool": pool}
    found = mixture.epoch_pairs(tmp_path, {"unlabelled": 10}, seed=1, **options)
    assert len(set(found)) == 10
    assert set(found) <= set(pool)
    assert set(found) != set(mixture.epoch_pairs(tmp_path, {"unlabelled": 10}, seed=2, **options))


def test_a_small_model_is_kept_without_its_embeddings_and_says_what_it_said(nli_script, tmp_path):
    fitting, export = nli_script("fitting"), nli_script("export")
    trunk = model_folder("fas-encoder-mini")
    model = fitting.classifier(trunk, frozen=0, seed=2, reads_out=True).eval()
    export.write_layers(model, trunk, "fas-encoder-mini", tmp_path)
    pairs = [("Zinc shortened colds.", "Zinc shortens colds."), ("It rained.", "Zinc shortens colds.")]
    kept = NliModel(str(tmp_path), precision="fp32")
    assert kept.reads_out
    with torch.inference_mode():
        whole = model(**kept.tokenizer(*map(list, zip(*pairs, strict=True)), return_tensors="pt", padding=True)).logits
    assert np.allclose(kept.logits(pairs), whole, atol=5e-3)
    assert (tmp_path / "model.safetensors").stat().st_size < 22e6
    with torch.no_grad():
        model.bert.embeddings.word_embeddings.weight[random.Random(1).randrange(1000)] += 1
    with pytest.raises(ValueError, match="not the trunk's"):
        export.write_layers(model, trunk, "fas-encoder-mini", tmp_path)


def test_the_recipes_name_sets_that_there_are_and_trunks_that_are_here(nli_script):
    recipe, known = nli_script("recipe"), {*nli_script("data").sources(), *nli_script("mixture").MAKERS, "unlabelled"}
    for file in (recipe.HERE / "recipes").glob("*.toml"):
        read = recipe.Recipe.read(file)
        assert set(read["mixture"]) <= known
    own = recipe.Recipe.read(recipe.HERE / "recipes/mini.toml")["trunk"]
    assert own["sha256"] == file_sha256(model_folder(own["name"]) / "model.safetensors")
