"""Local models. Oracle: the same small random model, run prompt by prompt, token by token, without a batch."""

import pytest

from fas.core.errors import BudgetExceeded
from fas.llm import Message, Prompt, chat_model

torch = pytest.importorskip("torch")

WORDS = "aspirin thins the blood and lowers fever in adults but not children yes no system user assistant . ?".split()
TEMPLATE = (
    "{% for m in messages %}<{{ m['role'] }}> {{ m['content'] }} {% endfor %}"
    "{% if add_generation_prompt %}<assistant> {% endif %}"
)
WINDOW = 64


def build(folder, *, template=None, seed=0):
    """A random two-layer model over a few words, saved as a checkpoint."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    special = ["<unk>", "</s>", "<system>", "<user>", "<assistant>"]
    vocabulary = {word: i for i, word in enumerate([*special, *WORDS])}
    backend = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    backend.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=backend,
        unk_token="<unk>",
        eos_token="</s>",
        additional_special_tokens=["<system>", "<user>", "<assistant>"],
    )
    tokenizer.chat_template = template
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=len(vocabulary),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=WINDOW,
        eos_token_id=1,
        bos_token_id=None,
        pad_token_id=None,
        initializer_range=0.6,
    )
    model = LlamaForCausalLM(config)
    # What a checkpoint may ask for and a greedy reply must not do.
    model.generation_config.do_sample = True
    model.generation_config.repetition_penalty = 5.0
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return build(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture(scope="module")
def chat_folder(tmp_path_factory):
    return build(tmp_path_factory.mktemp("models") / "tiny-chat", template=TEMPLATE)


pytestmark = pytest.mark.usefixtures("fresh_cache")


def local(folder, **options):
    return chat_model(f"transformers:{folder}", **{"precision": "fp32", "device": "cpu", **options})


def ask(*texts, max_tokens=8, **settings):
    return [Prompt((Message("user", text),), max_tokens=max_tokens, **settings) for text in texts]


def by_hand(folder, text, max_tokens):
    """The greedy continuation of *text*: no batch, no padding, no generate()."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    new = []
    with torch.inference_mode():
        for _ in range(max_tokens):
            token = int(model(torch.tensor([ids + new])).logits[0, -1].argmax())
            if token == tokenizer.eos_token_id:
                return tokenizer.decode(new, skip_special_tokens=True), "stop", len(ids)
            new.append(token)
    return tokenizer.decode(new, skip_special_tokens=True), "length", len(ids)


QUESTIONS = (
    "aspirin thins the blood ?",
    "yes",
    "aspirin lowers fever in adults but not children . the blood thins and fever lowers",
    "no no no",
    "children",
    "the fever ?",
    "not in adults",
)


def test_a_chat_template_is_used_where_there_is_one(chat_folder):
    prompt = Prompt((Message("system", "yes no"), Message("user", "the blood ?")), max_tokens=6)
    reply = local(chat_folder).complete([prompt])[0]
    expected = by_hand(chat_folder, "<system> yes no <user> the blood ? <assistant> ", 6)
    assert (reply.text, reply.finish, reply.prompt_tokens) == expected


def test_a_prompt_that_does_not_fit_fails_and_is_never_cut(folder):
    fits = " ".join(["fever"] * (WINDOW - 8))
    replies = local(folder).complete(ask(fits, fits + " fever"))
    assert replies[0].failure is None
    assert replies[0].prompt_tokens == WINDOW - 8
    assert replies[1].text == ""
    assert "has 57 tokens; with 8 for the reply that is more than the model's 64" in replies[1].failure


@pytest.mark.parametrize(
    ("prompt", "reason"),
    [
        (Prompt((Message("user", "yes"),), temperature=0.5), "`temperature` must be 0"),
        (Prompt((Message("user", ""),)), "empty"),
        (Prompt(()), "no message"),
    ],
)
def test_what_cannot_be_answered_fails_alone(folder, prompt, reason):
    replies = local(folder).complete([prompt, *ask("yes")])
    assert reason in replies[0].failure
    assert replies[1].failure is None


def test_a_budget_stops_after_what_it_allows_and_keeps_it(folder):
    with pytest.raises(BudgetExceeded, match="3 calls"):
        local(folder, max_calls=3, batch_size=2).complete(ask(*QUESTIONS))
    estimate = local(folder).estimate(ask(*QUESTIONS))
    assert (estimate.cached, estimate.calls) == (3, len(QUESTIONS) - 3)


# Numbered draws.


def draws(model, n, *, temperature=2.0, text="aspirin lowers", max_tokens=6):
    prompts = [
        Prompt((Message("user", text),), max_tokens=max_tokens, temperature=temperature, sample=i) for i in range(n)
    ]
    return [reply.text for reply in model.complete(prompts)]


def test_draws_differ_are_reproducible_and_do_not_depend_on_the_batch(folder, fresh_cache):
    together = draws(chat_model(f"transformers:{folder}", device="cpu", cache="off", batch_size=8), 8)
    assert len(set(together)) > 4
    alone = draws(chat_model(f"transformers:{folder}", device="cpu", cache="off", batch_size=1), 8)
    assert alone == together
    longer = Prompt((Message("user", "children and adults but not yes"),), max_tokens=6, temperature=2.0, sample=3)
    mixed = Prompt((Message("user", "aspirin lowers"),), max_tokens=6, temperature=2.0, sample=3)
    model = chat_model(f"transformers:{folder}", device="cpu", cache="off", batch_size=2)
    assert model.complete([longer, mixed])[1].text == together[3]


def test_first_tokens_of_draws_follow_the_softmax_at_their_temperature(folder, fresh_cache):
    from scipy.stats import chisquare
    from transformers import AutoModelForCausalLM, AutoTokenizer

    n, temperature = 1500, 3.0
    tokenizer = AutoTokenizer.from_pretrained(folder)
    with torch.inference_mode():
        ids = torch.tensor([tokenizer("aspirin lowers")["input_ids"]])
        logits = AutoModelForCausalLM.from_pretrained(folder)(ids).logits[0, -1].double()
    expected = torch.softmax(logits / temperature, -1)
    model = chat_model(f"transformers:{folder}", device="cpu", cache="off", batch_size=250)
    drawn = draws(model, n, temperature=temperature, max_tokens=1)
    counts = {word: drawn.count(word) for word in WORDS}
    shares = [float(expected[tokenizer.convert_tokens_to_ids(word)]) for word in WORDS]
    common = [i for i, share in enumerate(shares) if share * n >= 5]
    observed = [counts[WORDS[i]] for i in common]
    rest = n - sum(observed)
    wanted = [shares[i] * n for i in common]
    assert len(common) > 3
    assert chisquare([*observed, rest], [*wanted, n - sum(wanted)]).pvalue > 0.001
