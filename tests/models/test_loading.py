"""What tells two model folders of the same name apart, and what is asked of the hub for a model that is not there."""

import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

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
for ask in {asks}:
    try:
        ask('nobody/wrong')
    except LookupError as error:
        print(error)
"""


@pytest.fixture
def failing_hub():
    """A hub that answers 500, after which its client asks again five times; and what it was asked."""
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            if "nobody" in self.path:
                asked.append(self.path)
            self.send_error(500)

        def do_HEAD(self):
            self.do_GET()

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    server.server_close()
    thread.join()


def told(asks, url, tmp_path):
    own = {
        **os.environ, "HF_ENDPOINT": url, "HF_HOME": str(tmp_path), "HF_HUB_OFFLINE": "0", "TRANSFORMERS_OFFLINE": "0",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }  # fmt: skip
    script = ASK.format(asks=asks)
    done = subprocess.run([sys.executable, "-c", script], env=own, capture_output=True, text=True, check=True)
    assert "Retrying" not in done.stderr
    return done.stdout.splitlines()


def test_a_model_that_the_hub_does_not_give_is_asked_for_once_and_told_in_one_line(failing_hub, tmp_path):
    url, asked = failing_hub
    said = told("(LocalModel, NliModel, model_identity)", url, tmp_path)
    assert len(asked) == len(said) == 3
    for line in said:
        assert line.startswith("model 'nobody/wrong': not an embedded model")
        assert "500" in line


def test_offline_the_hub_is_asked_nothing(failing_hub, tmp_path):
    url, asked = failing_hub
    from_disk = "(lambda name: LocalModel(name, offline=True), lambda name: model_identity(name, offline=True))"
    said = told(from_disk, url, tmp_path)
    assert len(said) == 2
    assert said[0].startswith("model 'nobody/wrong': not an embedded model")
    assert asked == []
