"""What tells two model folders of the same name apart, and what is asked of the hub for a model that is not there."""

import os
import subprocess
import sys

import pytest
from local_server import LocalServer

from fas.models.loading import weights_identity


@pytest.fixture
def folder(tmp_path):
    for name in ("model.safetensors", "config.json", "vocab.txt", "spiece.model", "README.md"):
        (tmp_path / name).write_text(f"{name}, first version")
    return tmp_path


@pytest.mark.parametrize("name", ["model.safetensors", "config.json", "vocab.txt", "spiece.model"])
def test_weights_configuration_and_tokenizer_files_are_part_of_a_models_identity(folder, name):
    before = weights_identity(str(folder), None)
    (folder / name).write_text(f"{name}, second version")
    assert weights_identity(str(folder), None) != before


ASK = """
from fas.leaf.training import model_identity
from fas.llm.local import LocalModel
from fas.models.nli import NliModel
offline = (lambda name: LocalModel(name, offline=True), lambda name: model_identity(name, offline=True))
for ask in (*offline, LocalModel, NliModel, model_identity):
    try:
        ask('nobody/wrong')
    except LookupError as error:
        print(error)
"""


class FailingHub(LocalServer):
    """A hub that answers 500, after which its client asks again five times; and what it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = []

    def answer(self, handler) -> None:
        if "nobody" in handler.path:
            self.asked.append(handler.path)
        handler.send_error(500)


def test_a_model_that_the_hub_does_not_give_is_asked_for_once_and_offline_not_at_all(tmp_path):
    with FailingHub() as hub:
        own = {
            **os.environ, "HF_ENDPOINT": hub.address, "HF_HOME": str(tmp_path), "HF_HUB_OFFLINE": "0",
            "TRANSFORMERS_OFFLINE": "0", "PYTHONPATH": os.pathsep.join(sys.path),
        }  # fmt: skip
        done = subprocess.run([sys.executable, "-c", ASK], env=own, capture_output=True, text=True, check=True)
    assert "Retrying" not in done.stderr
    said = done.stdout.splitlines()
    assert (len(hub.asked), len(said)) == (3, 5)
    assert said[0].startswith("model 'nobody/wrong': not an embedded model")
    for line in said[2:]:
        assert line.startswith("model 'nobody/wrong': not an embedded model")
        assert "500" in line
