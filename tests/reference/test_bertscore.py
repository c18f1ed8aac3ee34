"""BERTScore against the bert-score package with the same weights, and against the definition."""

import copy
import logging
import random

import numpy as np
import pytest
import torch
from reference_texts import plain
from transformers import BertConfig, BertModel

from fas.models.fastlinear import pack_linear_layers
from fas.models.paths import model_folder
from fas.reference.bertscore import BertScorer, default_layer
from fas.reference.encoding import TokenEncoder

SIZES = {"hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 64}
DISENTANGLED = {"relative_attention": True, "pos_att_type": ["c2p", "p2c"], "type_vocab_size": 0}


def _save_bpe(folder):
    from tokenizers import ByteLevelBPETokenizer
    from transformers import RobertaTokenizer

    rng = random.Random(0)
    bpe = ByteLevelBPETokenizer()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    bpe.train_from_iterator([plain(rng, 50) for _ in range(100)], vocab_size=400, special_tokens=special)
    folder.mkdir()
    bpe.save_model(str(folder))
    return RobertaTokenizer.from_pretrained(folder, model_max_length=512)


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Folders of small random encoders of several architectures."""
    import transformers as t

    home = tmp_path_factory.mktemp("models")
    wordpiece = t.AutoTokenizer.from_pretrained(model_folder("fas-encoder-mini"))
    bpe = _save_bpe(home / "bpe")
    torch.manual_seed(0)
    sizes = {"vocab_size": len(wordpiece), **SIZES}
    small = {"vocab_size": len(bpe), **SIZES}
    made = {
        "bert": (t.BertModel(t.BertConfig(**sizes)), wordpiece),
        "deberta": (t.DebertaModel(t.DebertaConfig(**sizes, **DISENTANGLED, position_biased_input=False)), wordpiece),
        "deberta-v2": (t.DebertaV2Model(t.DebertaV2Config(**sizes, **DISENTANGLED, position_buckets=16)), wordpiece),
        "distilbert": (
            t.DistilBertModel(
                t.DistilBertConfig(vocab_size=len(wordpiece), dim=32, n_layers=3, n_heads=4, hidden_dim=64)
            ),
            wordpiece,
        ),
        "albert": (t.AlbertModel(t.AlbertConfig(**sizes, embedding_size=16)), wordpiece),
        "roberta": (t.RobertaModel(t.RobertaConfig(**small, max_position_embeddings=514, pad_token_id=1)), bpe),
        "t5": (
            t.T5EncoderModel(t.T5Config(vocab_size=len(bpe), d_model=32, d_kv=8, d_ff=64, num_layers=3, num_heads=4)),
            bpe,
        ),
    }
    folders = {}
    for name, (model, tokenizer) in made.items():
        folders[name] = str(home / name)
        model.save_pretrained(folders[name])
        tokenizer.save_pretrained(folders[name])
    folders["embedded"] = str(model_folder("fas-encoder-mini"))
    return folders


def _package(folder, layer, **options):
    from bert_score import BERTScorer

    scorer = BERTScorer(model_type=folder, num_layers=layer, device="cpu", nthreads=0, **options)
    assert scorer._model.dtype == torch.float32
    tokenizer = scorer._tokenizer
    # The package fails on an empty text with transformers 5; this is what it asked for in 4.
    tokenizer.build_inputs_with_special_tokens = lambda ids: tokenizer.encode("", add_special_tokens=True)
    return scorer


def _scorer(*model, **settings):
    # The package computes in fp32; `auto` would take bfloat16 where the processor has it.
    return BertScorer(*model, **{"precision": "fp32", **settings})


def _pairs(seed, n, longest=40):
    rng = random.Random(seed)
    first = [plain(rng, rng.randint(1, longest)) for _ in range(n)]
    second = [plain(rng, rng.randint(1, longest)) for _ in range(n)]
    return [*first, "aspirin", " aspirin  ", "", "TNF-α ≥ 12.5%", ""], [*second, "aspirin", "IL-6", "stroke", "", ""]


def _assert_close(ours, theirs, tolerance=1e-5):
    columns = np.array([score[:3] for score in ours]).T
    for mine, other in zip(columns, theirs, strict=True):
        assert np.allclose(mine, other.numpy(), rtol=0, atol=tolerance)


ARCHITECTURES = ["bert", "deberta", "deberta-v2", "distilbert", "albert", "roberta", "t5"]


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_scores_of_random_models_against_bert_score(models, name):
    # The package is asked for one pair at a time: in larger batches it takes 0 for the similarity
    # to the padding of a shorter text, which hides negative ones.
    predictions, references = _pairs(1, 12)
    if name == "t5":  # the package takes a text of one token for an empty one if there is one special token
        predictions, references = predictions[:12], references[:12]
    for layer in (3, 1):
        package, ours = _package(models[name], layer), _scorer(models[name], layer)
        _assert_close(ours.score(predictions, references), package.score(predictions, references, batch_size=1))


@pytest.mark.parametrize("layer", [6, 3])
def test_scores_of_the_embedded_encoder_against_bert_score(models, layer):
    predictions, references = _pairs(2, 10)
    package, ours = _package(models["embedded"], layer), _scorer("fas-encoder-mini", layer)
    _assert_close(ours.score(predictions, references), package.score(predictions, references, batch_size=1))


def test_several_references_against_bert_score(models):
    rng = random.Random(3)
    predictions = [plain(rng, 15) for _ in range(6)]
    references = [[plain(rng, rng.randint(5, 25)) for _ in range(3)] for _ in predictions]
    package, ours = _package(models["bert"], 3), _scorer(models["bert"], 3)
    separate = ours.score(predictions, references, multi_reference="bert_score")
    _assert_close(separate, package.score(predictions, references, batch_size=1))
    best = ours.score(predictions, references)
    mean = ours.score(predictions, references, multi_reference="mean")
    for prediction, others, winner, average in zip(predictions, references, best, mean, strict=True):
        alone = ours.score([prediction] * 3, others)
        assert winner.reference == int(np.argmax([each.f1 for each in alone]))
        assert winner[:3] == pytest.approx(alone[winner.reference][:3], abs=1e-7)
        assert average.f1 == pytest.approx(np.mean([each.f1 for each in alone]), abs=1e-7)
        assert average.reference is None


def test_long_texts_are_read_in_windows_and_announced_once(models, caplog):
    scorer = _scorer(models["bert"], 3)
    long, short = plain(random.Random(6), 1500), plain(random.Random(7), 20)
    with caplog.at_level(logging.WARNING):
        whole = scorer.score([long, short], [long, long])
        scorer.score([long + " stroke"], [short])
    assert whole[0].f1 == pytest.approx(1.0, abs=1e-5)
    assert len([record for record in caplog.records if "windows" in record.message]) == 1
    assert caplog.messages[0].startswith("1 of these texts has more than the 512 tokens")
    assert scorer.n_long == 2
    tail = _scorer(models["bert"], 3, truncate=True).score([long], [short])[0]
    assert tail.precision != pytest.approx(scorer.score([long], [short])[0].precision, abs=1e-9)


def test_each_text_is_encoded_once_and_references_not_again(models, monkeypatch):
    encoded = []
    original = TokenEncoder._run

    def spy(self, batch, shape):
        encoded.extend(map(tuple, batch))
        return original(self, batch, shape)

    monkeypatch.setattr(TokenEncoder, "_run", spy)
    scorer = _scorer(models["bert"], 3)
    scorer.score(["one", "one", "two"], [["three", "four"], ["three"], ["four"]])
    assert len(encoded) == 4
    scorer.score(["five", "three"], ["three", "four"])
    assert len(encoded) == 5


def test_bf16_stays_near_fp32():
    predictions, references = [plain(random.Random(1), 20)], [plain(random.Random(2), 20)]
    (exact,) = _scorer(precision="fp32").score(predictions, references)
    (rough,) = _scorer(precision="bf16").score(predictions, references)
    assert rough.f1 == pytest.approx(exact.f1, abs=0.02)


def test_layers_of_the_package():
    assert default_layer("microsoft/deberta-large-mnli") == 18
    assert default_layer("fas-encoder-mini") == 6


@pytest.mark.parametrize("bias", [True, False])
def test_packed_linear_layers_against_torch(bias):
    torch.manual_seed(0)
    plain_model = torch.nn.Sequential(torch.nn.Linear(37, 64, bias=bias), torch.nn.GELU(), torch.nn.Linear(64, 11))
    packed = copy.deepcopy(plain_model)
    assert pack_linear_layers(packed) == (2 if torch.backends.mkldnn.is_available() else 0)
    with torch.inference_mode():
        for shape in ((1, 37), (5, 37), (3, 700, 37), (0, 37)):
            states = torch.randn(shape)
            assert torch.allclose(packed(states), plain_model(states), rtol=0, atol=1e-5)


@pytest.mark.parametrize(("activation", "joined"), [("gelu", True), ("gelu_new", False), ("relu", False)])
def test_gelu_by_the_error_function_is_computed_with_the_layer_before_it_and_no_other_activation(activation, joined):
    torch.manual_seed(0)
    config = BertConfig(vocab_size=50, hidden_act=activation, **SIZES)
    whole = BertModel(config).eval()
    packed = copy.deepcopy(whole)
    pack_linear_layers(packed)
    after = {type(layer.intermediate.intermediate_act_fn) for layer in packed.encoder.layer}
    assert (after == {torch.nn.Identity}) is (joined and torch.backends.mkldnn.is_available())
    with torch.inference_mode():
        ids = torch.randint(0, 50, (3, 17))
        states = packed(ids).last_hidden_state
        assert torch.allclose(states, whole(ids).last_hidden_state, rtol=0, atol=1e-5)


@pytest.mark.parametrize("name", ["embedded", "deberta", "distilbert"])
@pytest.mark.parametrize("batch_size", [1, 5, 64])
def test_padding_as_bert_score_treats_it(models, name, batch_size):
    predictions, references = _pairs(21, 9)
    package, ours = _package(models[name], 3), _scorer(models[name], 3, padding=batch_size)
    _assert_close(ours.score(predictions, references), package.score(predictions, references, batch_size=batch_size))
    rng = random.Random(22)
    several = [[plain(rng, rng.randint(1, 25)) for _ in range(rng.randint(1, 3))] for _ in predictions]
    theirs = package.score(predictions, several, batch_size=batch_size)
    _assert_close(ours.score(predictions, several, multi_reference="bert_score"), theirs)


@pytest.mark.parametrize("name", ["bert", "roberta", "deberta"])
def test_truncated_long_texts_against_bert_score(models, name, caplog):
    predictions, references = [plain(random.Random(4), 700)], [plain(random.Random(5), 900)]
    ours = _scorer(models[name], 3, truncate=True)
    _assert_close(ours.score(predictions, references), _package(models[name], 3).score(predictions, references))
    assert ours.n_long == 2
    assert "are cut" in caplog.text


def test_scores_by_hand_from_the_states(models):
    scorer = _scorer(models["bert"], 2)
    encoder = scorer.encoder
    first, second = "aspirin lowers risk", "bleeding risk of aspirin in patients"
    a, b = (each.states.numpy() for each in encoder.encode([encoder.tokenize(first), encoder.tokenize(second)]))
    similarity = a @ b.T  # special tokens may be matched but have no weight
    precision = similarity.max(axis=1)[1:-1].mean()
    recall = similarity.max(axis=0)[1:-1].mean()
    (score,) = scorer.score([first], [second])
    expected = (precision, recall, 2 * precision * recall / (precision + recall))
    assert score[:3] == pytest.approx(expected, abs=1e-6)
