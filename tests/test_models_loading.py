"""What tells two model folders of the same name apart."""

from types import SimpleNamespace

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


def test_a_card_is_not_part_of_a_models_identity(folder):
    before = weights_identity(str(folder), None)
    (folder / "README.md").write_text("better words")
    assert weights_identity(str(folder), None) == before


def test_a_hub_model_is_known_by_its_revision():
    assert weights_identity("owner/name", SimpleNamespace(_commit_hash="abc")) == "abc"
    assert weights_identity("owner/name", SimpleNamespace()) == "unknown revision"
