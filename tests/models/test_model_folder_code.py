"""Code that lies in a model's folder is never run, and no pickle is read."""

from __future__ import annotations

import ast
import io
import json
import pickle
import sys
from contextlib import suppress
from pathlib import Path

import pytest
import torch
from tiny_llm import write_tiny_llm

import fas
from fas.llm.local import LocalModel
from fas.llm.messages import Message, Prompt
from fas.models.encoder import Encoder
from fas.models.nli import NliModel
from fas.reference.bertscore import default_layer
from fas.reference.encoding import TokenEncoder
from fas.reference.scorer import ReferenceScorer

ATTACK = """
from pathlib import Path
Path({victim!r}).write_text("the code of the folder ran")
from transformers import {base}, PretrainedConfig
class Config(PretrainedConfig):
    model_type = "{model_type}"
class Tokenizer:
    pass
class Model({base}):
    config_class = Config
"""
TASKS = ("", "ForSequenceClassification", "ForCausalLM", "ForSeq2SeqLM")
KINDS = ("AutoConfig", *(f"AutoModel{task}" for task in TASKS))


def armed(folder: Path, victim: Path, model_type: str | None) -> Path:
    """*folder* with code that writes *victim*, asked for in every way there is."""
    config = json.loads((folder / "config.json").read_text())
    if model_type is not None:
        config["model_type"] = model_type
    code = ATTACK.format(victim=str(victim), base="PreTrainedModel", model_type=config["model_type"])
    (folder / "evil.py").write_text(code)
    (folder / "__init__.py").write_text(code)
    (folder / "custom_generate").mkdir()
    (folder / "custom_generate" / "generate.py").write_text(code + "\ndef generate(*a, **k): pass\n")
    names = {kind: "evil.Config" if kind == "AutoConfig" else "evil.Model" for kind in KINDS}
    config["auto_map"] = {**names, "AutoTokenizer": ["evil.Tokenizer", "evil.Tokenizer"]}
    (folder / "config.json").write_text(json.dumps(config))
    tokenizer = folder / "tokenizer_config.json"
    settings = json.loads(tokenizer.read_text()) if tokenizer.exists() else {}
    settings |= {"tokenizer_class": "Tokenizer", "auto_map": {"AutoTokenizer": ["evil.Tokenizer", "evil.Tokenizer"]}}
    tokenizer.write_text(json.dumps(settings))
    return folder


LOADERS = {
    "nli": NliModel,
    "encoder": Encoder,
    "bertscore": lambda folder: TokenEncoder(folder, layer=1),
    "layer": default_layer,
    "pin": lambda folder: ReferenceScorer(bertscore_model=folder).bertscore_signature,
    "llm": lambda folder: LocalModel(folder, cache="off").complete([Prompt((Message("user", "q"),), max_tokens=2)]),
}


@pytest.fixture
def folder(tmp_path, request):
    """A tiny checkpoint that fits the loader."""
    from transformers import BertConfig, BertForSequenceClassification

    path = write_tiny_llm(tmp_path / "model")
    if request.getfixturevalue("loader") != "llm":
        names = dict(enumerate(("entailment", "neutral", "contradiction")))
        config = BertConfig(
            vocab_size=400, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32,
            id2label=names, label2id={name: number for number, name in names.items()},
        )  # fmt: skip
        BertForSequenceClassification(config).save_pretrained(path)
    return path


@pytest.fixture(autouse=True)
def everybody_says_yes(monkeypatch):
    monkeypatch.setattr("builtins.input", lambda *_: "y")
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n" * 1000))
    monkeypatch.delenv("CI", raising=False)


@pytest.mark.parametrize("loader", LOADERS)
@pytest.mark.parametrize("model_type", [None, "evil"])
def test_no_loading_call_runs_code_of_the_folder(tmp_path, folder, loader, model_type):
    victim = tmp_path / "victim"
    armed(folder, victim, model_type)
    with suppress(LookupError, ValueError):
        LOADERS[loader](str(folder))
    assert not victim.exists()
    assert not [name for name, module in sys.modules.items() if "evil" in name and module is not None]


@pytest.mark.parametrize("loader", ["nli", "encoder", "bertscore", "pin", "llm"])
def test_an_architecture_that_needs_code_of_its_own_is_refused_in_plain_words(tmp_path, folder, loader):
    armed(folder, tmp_path / "victim", "evil")
    with pytest.raises(LookupError, match="it needs its own code, which fas never runs"):
        LOADERS[loader](str(folder))


class Attack:
    def __init__(self, victim: Path) -> None:
        self.victim = victim

    def __reduce__(self):
        return (Path.write_text, (self.victim, "the pickle ran"))


@pytest.mark.parametrize("loader", ["nli", "encoder", "bertscore", "llm"])
def test_a_pickle_is_not_read_whatever_it_holds(tmp_path, folder, loader):
    victim = tmp_path / "victim"
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps({"weight": Attack(victim)}))
    with pytest.raises(LookupError, match="safetensors"):
        LOADERS[loader](str(folder))
    assert not victim.exists()
    torch.save({}, folder / "pytorch_model.bin")
    with pytest.raises(LookupError, match="safetensors"):
        LOADERS[loader](str(folder))


def test_every_loading_call_forbids_code_and_every_one_of_weights_pickles():
    found = 0
    for path in Path(fas.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            if node.func.attr in ("from_pretrained", "from_config"):
                given = {keyword.arg: ast.unparse(keyword.value) for keyword in node.keywords}
                what = ast.unparse(node.func.value)
                assert given.get("trust_remote_code") == "False", f"{path}, line {node.lineno}"
                if node.func.attr == "from_pretrained" and not what.endswith(("Config", "Tokenizer")):
                    assert given.get("use_safetensors") == "True", f"{path}, line {node.lineno}"
                found += 1
            assert node.func.attr not in ("unpickle", "hub") or "torch" not in ast.unparse(node.func)
    assert found > 8
