"""An index that was copied half, or mixed of two builds, is refused when it is opened; one being updated is not."""

from __future__ import annotations

import json
import shutil

import pytest

from fas.core.errors import InputError
from fas.evidence.build import build_index
from fas.evidence.index import TextIndex


def notes(path, *texts):
    path.write_text("".join(json.dumps({"id": f"{path.stem}{i}", "text": text}) + "\n" for i, text in enumerate(texts)))
    return path


@pytest.fixture
def index(tmp_path):
    build_index(tmp_path / "index", [notes(tmp_path / "a.jsonl", "Aspirin helps.", "Honey soothes.", "Rest.")])
    return tmp_path / "index"


def test_an_index_as_built_and_a_whole_copy_of_it_open(tmp_path, index):
    shutil.copytree(index, tmp_path / "copy")
    assert len(TextIndex(index)) == len(TextIndex(tmp_path / "copy")) == 3


def test_a_file_that_is_missing_or_cut_off_is_told_by_name(index):
    store = next((index / "tantivy").glob("*.store"))
    whole = store.read_bytes()
    store.write_bytes(whole + b"\0" * 10)
    with pytest.raises(InputError, match=r"cannot read the index|is not the index that"):
        TextIndex(index)
    store.write_bytes(whole)
    unused = next(iter((index / "tantivy").glob("*.fieldnorm")), None) or store
    unused.unlink()
    with pytest.raises(InputError, match=r"cannot read the index|is missing"):
        TextIndex(index)


def test_a_ledger_or_texts_of_another_build_are_refused(tmp_path, index):
    other = tmp_path / "other"
    build_index(other, [notes(tmp_path / "b.jsonl", "Sleep.")])
    mixed = tmp_path / "mixed"
    shutil.copytree(index, mixed)
    shutil.copy(other / "ledger.sqlite", mixed / "ledger.sqlite")
    with pytest.raises(InputError, match=r"is not the index that .* is missing|documents, the build wrote"):
        TextIndex(mixed)
    shutil.copy(index / "ledger.sqlite", mixed / "ledger.sqlite")
    shutil.rmtree(mixed / "tantivy")
    shutil.copytree(other / "tantivy", mixed / "tantivy")
    with pytest.raises(InputError, match="it holds 1 documents, the build wrote 3; copy the whole folder again"):
        TextIndex(mixed)
