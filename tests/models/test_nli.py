"""NLI models behind one call: tiny random checkpoints, compared with transformers itself."""

from __future__ import annotations

import json
import math
import random

import numpy as np
import pytest
from tiny_classifiers import NAMED, WORDS, bert, mpnet, roberta
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from fas.core.profile import load_profile
from fas.core.records import Claim, Pair, Passage
from fas.models.nli import _SELF_EVIDENT as SELF_EVIDENT
from fas.models.nli import CLASSES, NliModel
from fas.models.paths import model_folder
from fas.verify.calibrator import TURNING
from fas.verify.nli import NEAR_THRESHOLD, NliVerifier


@pytest.fixture(scope="module")
def mpnet_folder(tmp_path_factory):
    return mpnet(tmp_path_factory.mktemp("tiny-mpnet"))


@pytest.fixture(scope="module")
def bert_folder(tmp_path_factory):
    return bert(tmp_path_factory.mktemp("tiny-bert"))


@pytest.fixture(scope="module")
def roberta_folder(tmp_path_factory):
    return roberta(tmp_path_factory.mktemp("tiny-roberta"))


@pytest.fixture(scope="module")
def model(bert_folder):
    return NliModel(str(bert_folder), precision="fp32")


def some_pairs(n=40, seed=3):
    rng = random.Random(seed)
    return [
        (" ".join(rng.choices(WORDS, k=rng.randint(1, 90))) + ".", " ".join(rng.choices(WORDS, k=rng.randint(1, 20))))
        for _ in range(n)
    ]


@pytest.mark.parametrize("kind", ["bert_folder", "roberta_folder", "mpnet_folder"])
def test_probabilities_are_those_of_the_pipeline_of_transformers(kind, request):
    from transformers import pipeline

    folder = str(request.getfixturevalue(kind))
    theirs = pipeline("text-classification", model=folder, top_k=None, device="cpu")
    ours = NliModel(folder, precision="fp32")
    pairs = [(" ".join(premise.split()[:6]), " ".join(hypothesis.split()[:4])) for premise, hypothesis in some_pairs()]
    logits = ours.logits(pairs).astype(np.float64)
    probabilities = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    for row, (premise, hypothesis) in zip(probabilities, pairs, strict=True):
        named = {item["label"].lower(): item["score"] for item in theirs({"text": premise, "text_pair": hypothesis})}
        assert row.tolist() == pytest.approx([named[label] for label in CLASSES], abs=1e-5)


def test_columns_follow_the_names_in_the_config_whatever_their_order(tmp_path, bert_folder, model):
    pairs = some_pairs(5)
    rotated = {0: "neutral", 1: "entailment", 2: "contradiction"}
    other = NliModel(str(bert(tmp_path / "other", names=rotated)), precision="fp32")
    # The weights are the same, so output 0 is contradiction in the one and neutral in the other.
    raw = model.logits(pairs)[:, [2, 1, 0]]
    np.testing.assert_allclose(other.logits(pairs), raw[:, [1, 0, 2]], atol=1e-6)


def test_a_checkpoint_that_does_not_name_its_classes_is_an_error_that_says_how_to(tmp_path):
    folder = str(bert(tmp_path / "unnamed", names=None))
    with pytest.raises(
        ValueError, match=r'does not name its classes; give their order, for example `labels = \["contra'
    ):
        NliModel(folder)


@pytest.mark.parametrize(
    "order", [("entailment", "neutral", "contradiction"), ("contradiction", "neutral", "entailment")]
)
def test_an_order_for_a_model_that_never_learned_inference_is_refused_by_self_evident_pairs(tmp_path, order):
    folder = str(bert(tmp_path / "random", names=None))
    with pytest.raises(
        ValueError, match=r"with the given `labels` it judges \d of 6 self-evident pairs right; no other"
    ):
        NliModel(folder, labels=order)


@pytest.fixture(scope="module")
def nameless(tmp_path_factory):
    """A model that has learned the self-evident pairs by heart, without the names of its classes; and their order."""
    import torch

    folder = bert(tmp_path_factory.mktemp("learned"), names=NAMED, positions=128)
    order = [NAMED[i].lower() for i in range(3)]
    learner = AutoModelForSequenceClassification.from_pretrained(folder).train()
    batch = AutoTokenizer.from_pretrained(folder)(
        [premise for premise, _, _ in SELF_EVIDENT],
        [hypothesis for _, hypothesis, _ in SELF_EVIDENT],
        padding=True,
        return_tensors="pt",
    )
    truth = torch.tensor([order.index(label) for _, _, label in SELF_EVIDENT])
    optimizer = torch.optim.Adam(learner.parameters(), lr=3e-3)
    for _ in range(200):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(learner(**batch).logits, truth)
        if loss.item() < 0.02:
            break
        loss.backward()
        optimizer.step()
    learner.save_pretrained(folder)
    config = json.loads((folder / "config.json").read_text())
    for key in ("id2label", "label2id"):
        del config[key]
    (folder / "config.json").write_text(json.dumps({**config, "num_labels": 3}))
    return folder, order


@pytest.mark.parametrize("turn", [(1, 2, 0), (2, 0, 1), (2, 1, 0), (0, 2, 1), (1, 0, 2)])
def test_a_wrong_order_for_a_trained_checkpoint_is_refused_and_the_right_one_is_told(nameless, turn):
    folder, order = nameless
    with pytest.raises(ValueError, match=r"self-evident pairs right; `labels = ") as caught:
        NliModel(str(folder), labels=[order[i] for i in turn])
    assert str(order) in str(caught.value)


def test_a_model_with_two_classes_is_refused(tmp_path):
    folder = str(bert(tmp_path / "two", names=None, num_labels=2))
    with pytest.raises(ValueError, match="has 2 classes; a three-way NLI model is needed"):
        NliModel(folder)


def test_the_premise_is_cut_and_never_the_claim(model):
    hypothesis = " ".join(WORDS[:10])
    premise = " ".join(WORDS * 6)
    # 64 positions: [CLS] premise [SEP] 10 words of the claim [SEP] leaves 51 words of the premise.
    cut = " ".join(premise.split()[:51])
    np.testing.assert_allclose(model.logits([(premise, hypothesis)]), model.logits([(cut, hypothesis)]), atol=1e-6)
    shorter = " ".join(premise.split()[:50])
    assert np.abs(model.logits([(premise, hypothesis)]) - model.logits([(shorter, hypothesis)])).max() > 1e-5


def test_a_claim_that_leaves_no_room_for_evidence_gives_no_number_and_the_others_theirs(model):
    pairs = [("the drug", "a fever"), ("the drug", "fever " * 60), ("the drug", "no fever")]
    logits = model.logits(pairs)
    assert np.isnan(logits[1]).all()
    np.testing.assert_allclose(logits[[0, 2]], model.logits([pairs[0], pairs[2]]), atol=1e-6)
    assert model.logits([pairs[1]]).shape == (1, 3)


def test_a_folder_without_its_frozen_embeddings_loads_the_same_model_from_the_encoder(tmp_path):
    from safetensors.torch import load_file, save_file
    from transformers import AutoConfig, AutoModelForSequenceClassification

    donor = load_file(model_folder("fas-encoder-mini") / "model.safetensors")
    config = AutoConfig.from_pretrained(model_folder("fas-encoder-mini"))
    config.num_labels, config.id2label = 3, NAMED
    full = AutoModelForSequenceClassification.from_config(config)
    state = {
        key: donor[key.removeprefix("bert.")].float() if key.startswith("bert.embeddings.") else value.contiguous()
        for key, value in full.state_dict().items()
        if "position_ids" not in key
    }
    for name in ("full", "shared"):
        folder = tmp_path / name
        folder.mkdir()
        config.save_pretrained(folder)
        for file in ("tokenizer.json", "tokenizer_config.json"):
            (folder / file).write_bytes((model_folder("fas-encoder-mini") / file).read_bytes())
    save_file(state, tmp_path / "full" / "model.safetensors", metadata={"format": "pt"})
    own = {key: value for key, value in state.items() if ".embeddings." not in key}
    save_file(own, tmp_path / "shared" / "model.safetensors", metadata={"format": "pt"})
    instructions = {"from": "fas-encoder-mini", "prefix": "bert."}
    (tmp_path / "shared" / "shared_embeddings.json").write_text(json.dumps(instructions))
    pairs = [("The drug lowered blood pressure.", "It worked."), ("No one was hurt.", "Some were.")]
    shared, whole = (NliModel(str(tmp_path / name), precision="fp32") for name in ("shared", "full"))
    np.testing.assert_array_equal(shared.logits(pairs), whole.logits(pairs))
    # A weight that belongs to neither is told.
    del own["classifier.bias"]
    save_file(own, tmp_path / "shared" / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ValueError, match=r"weights do not fit the architecture: classifier\.bias"):
        NliModel(str(tmp_path / "shared"))


def test_the_signature_of_a_folder_changes_with_its_weights(tmp_path, bert_folder, model):
    again = NliModel(str(bert(tmp_path / bert_folder.name)), precision="fp32")
    other = NliModel(str(bert(tmp_path / "x" / bert_folder.name, seed=9)), precision="fp32")
    assert again.signature == model.signature != other.signature
    assert model.signature.startswith(f"{bert_folder.name}@")


def pair(claim, text, **passage):
    return Pair(Claim(claim), Passage(text, **passage))


def verifier(folder, **options):
    return NliVerifier(model=str(folder), precision="fp32", cache=False, **{"max_length": 64, **options})


def test_in_bf16_pairs_near_the_threshold_are_judged_in_fp32_and_no_others():
    asked = [
        pair(
            "Metformin lowers HbA1c.",
            "In adults, metformin lowered HbA1c by one percentage point. Weight fell a little.",
        ),
        pair(
            "Aspirin prevents stroke.", "Aspirin was not better than placebo against stroke. Bleeding was more common."
        ),
        pair("Zinc cures colds.", "Colds were a day shorter with zinc lozenges. Nausea was common. Taste was altered."),
    ]
    exact = NliVerifier(precision="fp32", cache=False).verify(asked)
    rough = NliVerifier(precision="bf16", cache=False).verify(asked)
    assert all(a.p_support != b.p_support for a, b in zip(exact, rough, strict=True))
    for i in range(len(asked)):
        at = NliVerifier(precision="bf16", threshold=rough[i].p_support, cache=False).verify(asked)
        assert at[i].p_support == pytest.approx(exact[i].p_support, abs=1e-6)
    far = NliVerifier(precision="bf16", threshold=1.0, cache=False)
    # Contradiction turns at a place of its own.
    at_turn = [abs(j.p_contradict - TURNING) < NEAR_THRESHOLD for j in rough]
    expected = [(exact if near else rough)[i].p_support for i, near in enumerate(at_turn)]
    assert [j.p_support for j in far.verify(asked)] == pytest.approx(expected, abs=1e-6)
    assert not all(at_turn)


@pytest.fixture(scope="module")
def embedded():
    return NliModel("fas-nli-mini")


@pytest.mark.parametrize(
    ("premise", "entailed", "contradicted", "neutral"),
    [
        # Version 10 had these the other way round, with 0.94 and more: the claim leaves a part of the sentence out.
        ("Bleeding was less frequent with apixaban than with warfarin.", "Bleeding was less frequent with apixaban.",
         "Bleeding was more frequent with apixaban.", None),
        ("Stroke was more common in smokers than in nonsmokers.", "Stroke was more common in smokers.",
         "Stroke was less common in smokers.", None),
        ("Lisinopril lowered blood pressure more than amlodipine did.", "Lisinopril lowered blood pressure.",
         "Lisinopril raised blood pressure.", None),
        ("Folic acid lowers the risk of spina bifida, although it does not prevent every case.",
         "Folic acid lowers the risk of spina bifida.", "Folic acid raises the risk of spina bifida.", None),
        # Version 11 took what a list leaves out for contradicted, with 0.55 to 0.85.
        ("Treatment options include rest, ice and anti-inflammatory drugs such as ibuprofen.",
         "Ibuprofen is an option.", "Ice is not a treatment.", "Treatment includes physiotherapy."),
        ("Foods rich in iron include red meat, beans, spinach and fortified cereals.",
         "Spinach is rich in iron.", "Spinach is low in iron.", "Foods rich in iron include tofu."),
        ("Common side effects of lisinopril include dry cough, dizziness and headache.",
         "Lisinopril can cause a dry cough.", "Lisinopril does not cause headache.",
         "Side effects of lisinopril include high potassium."),
        ("Symptoms of gout include sudden pain, redness and swelling of a joint.",
         "Symptoms of gout include swelling.", "Gout does not cause joint pain.", "Symptoms of gout include fever."),
    ],
)  # fmt: skip
def test_the_embedded_model_reads_parts_of_sentences_and_lists(embedded, premise, entailed, contradicted, neutral):
    claims = {entailed: "entailment", contradicted: "contradiction"} | ({neutral: "neutral"} if neutral else {})
    found = embedded.logits([(premise, claim) for claim in claims]).argmax(axis=1)
    assert [CLASSES[i] for i in found] == list(claims.values())


def test_a_claim_too_long_for_the_model_is_a_failed_judgement_and_no_exception(bert_folder):
    good, bad = verifier(bert_folder).verify([pair("a fever", "the drug"), pair("fever " * 60, "the drug")])
    assert good.failure is None
    assert bad.failure == "the claim is too long for the model's input window"
    assert math.isnan(bad.p_support)


def test_equal_pairs_are_judged_once_and_order_and_batches_do_not_matter(bert_folder):
    pairs = [pair(claim, text) for text, claim in some_pairs(12)]
    reference = verifier(bert_folder).verify(pairs)
    shuffled = list(range(12)) * 2
    random.Random(4).shuffle(shuffled)
    again = verifier(bert_folder, batch_size=1).verify([pairs[i] for i in shuffled])
    for i, found in zip(shuffled, again, strict=True):
        assert found.p_support == pytest.approx(reference[i].p_support, abs=1e-6)
        assert found.p_contradict == pytest.approx(reference[i].p_contradict, abs=1e-6)
        assert found.sentence == reference[i].sentence


def test_the_verifier_of_the_paper_profile_runs_on_a_model_of_its_class(tmp_path):
    options = dict(load_profile("paper").verify.options)
    order = options.pop("labels")
    names = dict(enumerate(order))
    folder = bert(tmp_path / "biobert-like", names=names, positions=512)
    options["model"] = str(folder)
    found = NliVerifier(**options, precision="fp32", cache=False).verify(
        [pair("the drug lowered pain", "the drug lowered pain in the trial. " * 200), pair("no fever", "a fever")]
    )
    # 1,400 words of premise are cut at 512 tokens; the claim is kept.
    reference = NliModel(str(folder), precision="fp32")
    logits = reference.logits(
        [("the drug lowered pain in the trial. " * 200, "the drug lowered pain"), ("a fever", "no fever")]
    )
    p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    assert [j.p_support for j in found] == pytest.approx(p[:, 0].tolist(), abs=1e-6)
    # With the order in the profile alone, a model that never learned inference is found out.
    unnamed = bert(tmp_path / "unnamed", names=None, positions=512)
    with pytest.raises(ValueError, match="self-evident pairs"):
        NliVerifier(**{**options, "model": str(unnamed), "labels": order}, cache=False)
