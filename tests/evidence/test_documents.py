"""A folder of guidelines becomes evidence whose passages name file, heading and page."""

import random
from collections.abc import Sequence
from contextlib import suppress

import pytest

from fas.core.errors import InputError
from fas.evidence.build import build_index
from fas.evidence.documents import MOST_WORDS, read_document
from fas.evidence.index import TextIndex


def pdf_of(pages: Sequence[str | list[tuple[int, str]]]) -> bytes:
    """A PDF by hand, one text object a page (PDF 32000-1, 7.5 and 9.4); lines of 12 points, or each with its size."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", ""]
    kids = []
    for page in pages:
        sized = [(12, line) for line in page.split("\n")] if isinstance(page, str) else page
        lines = "".join(f"/F1 {n} Tf ({text.replace('(', '[').replace(')', ']')}) Tj T* " for n, text in sized)
        stream = f"BT 24 TL 50 700 Td {lines}ET"
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
        font = "<< /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {len(objects)} 0 R "
            f"/Resources << /Font {font} >> >>"
        )
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(pages)} >>"
    out, offsets = b"%PDF-1.4\n", []
    for number, text in enumerate(objects, start=1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{text}\nendobj\n".encode("latin-1")
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    head = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
    return out + f"{head}trailer << /Root 1 0 R /Size {len(objects) + 1} >>\nstartxref\n{len(out)}\n%%EOF".encode()


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "guidelines"
    (folder / "more").mkdir(parents=True)
    (folder / "fever.md").write_text("# Fever in adults\n\nRest helps.\n\n## Drugs\n\nParacetamol lowers fever.\n")
    (folder / "page.html").write_text(
        "<title>Aspirin</title><nav>Home</nav><h1>Aspirin</h1><h2>Children</h2><p>Aspirin is not for children.</p>"
        "<ul><li><p>Reye's syndrome is rare.</p></li></ul><script>alert(1)</script>"
    )
    head = "Hospital handbook"
    (folder / "more" / "book.pdf").write_bytes(
        pdf_of([f"{head}\nMetformin is taken with meals.", f"{head}\nInsulin is kept cold.", f"{head}\nStatins help."])
    )
    (folder / "plain.txt").write_text("Zinc shortens colds.\n\nHoney soothes a cough.\n")
    (folder / "cited.txt").write_text("PMID- 12\nTI  - Title\nAB  - Ginger eases nausea.\n")
    (folder / "picture.png").write_bytes(b"\x89PNG")
    return folder


def test_a_folder_is_indexed_and_each_passage_names_file_heading_and_page(folder, tmp_path, caplog):
    assert build_index(tmp_path / "index", [folder]) == 5
    assert "skipped 1 file of other types (.png)" in caplog.text
    index = TextIndex(tmp_path / "index")

    def found(query):
        passage = index.search(query, limit=1)[0][0]
        return passage.id, passage.title, passage.text

    assert found("paracetamol") == ("fever.md#2", "Fever in adults, Drugs", "Paracetamol lowers fever.")
    assert found("children aspirin") == ("page.html#1", "Aspirin, Children", found("children aspirin")[2])
    assert found("insulin") == ("more/book.pdf#page=2.1", "book, page 2", "Insulin is kept cold.")
    assert found("honey") == ("plain.txt#1", "plain", "Zinc shortens colds.\nHoney soothes a cough.")
    assert found("ginger")[0] == "12"
    assert not index.search("home alert handbook", limit=5)


def test_no_word_is_lost_doubled_or_moved_and_no_passage_is_too_long(tmp_path):
    draw = random.Random(5)
    for round_ in range(40):
        words = [f"w{i}" for i in range(draw.randrange(1, 900))]
        text = "".join(word + draw.choice([" ", " ", " ", ". ", "\n", "\n\n"]) for word in words)
        path = tmp_path / f"{round_}.txt"
        path.write_text(text)
        parts = [row["text"] for _, row in read_document(path, "text")]
        assert [word.strip(".") for part in parts for word in part.split()] == words
        assert max(len(part.split()) for part in parts) <= MOST_WORDS


def test_code_in_markdown_is_no_heading(tmp_path):
    path = tmp_path / "a.md"
    path.write_text("# One\n\n```\n# two\n```\n\nText.\n")
    assert [row["title"] for _, row in read_document(path, "markdown")] == ["One"]


@pytest.mark.parametrize("raw", [b"", b"%PDF-1.4 nothing", b"\xff" * 100])
def test_a_file_that_is_no_pdf_is_refused_with_its_name(tmp_path, raw):
    path = tmp_path / "broken.pdf"
    path.write_bytes(raw)
    with pytest.raises(InputError, match=r"broken\.pdf: not a readable PDF"):
        list(read_document(path, "pdf"))


def test_a_page_without_text_is_named(tmp_path, caplog):
    path = tmp_path / "scan.pdf"
    path.write_bytes(pdf_of(["Text.", ""]))
    assert len(list(read_document(path, "pdf"))) == 1
    assert "page 2 has no text" in caplog.text


def test_a_folder_without_a_known_file_is_refused(tmp_path):
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "a.png").write_bytes(b"")
    with pytest.raises(InputError, match="no file of a supported type"):
        build_index(tmp_path / "index", [tmp_path / "pictures"])


def test_documents_of_one_name_in_two_folders_are_both_kept(tmp_path):
    for place, text in (("x", "Aspirin thins blood."), ("y", "Zinc shortens colds.")):
        (tmp_path / "all" / place).mkdir(parents=True)
        (tmp_path / "all" / place / "notes.txt").write_text(text + "\n")
    build_index(tmp_path / "index", [tmp_path / "all"])
    index = TextIndex(tmp_path / "index")
    assert index.search("aspirin", limit=1)[0][0].id == "x/notes.txt#1"
    assert index.search("zinc", limit=1)[0][0].id == "y/notes.txt#1"


def test_documents_of_one_name_are_cited_by_as_much_of_their_paths_as_tells_them_apart(tmp_path):
    for place, text in (("x", "Aspirin thins blood."), ("y", "Zinc shortens colds."), ("z", "Honey soothes a cough.")):
        (tmp_path / place / "book").mkdir(parents=True)
        (tmp_path / place / "book" / "notes.md").write_text(text + "\n")
    build_index(tmp_path / "index", [tmp_path / "x" / "book", tmp_path / "y" / "book"])
    build_index(tmp_path / "index", [tmp_path / "z" / "book"])  # a later build

    def found(word):
        return [passage.id for passage, _ in TextIndex(tmp_path / "index").search(word, limit=5)]

    cited = {"aspirin": ["x/book/notes.md#1"], "zinc": ["y/book/notes.md#1"], "honey": ["z/book/notes.md#1"]}
    assert {word: found(word) for word in cited} == cited
    changed = tmp_path / "x" / "book" / "notes.md"
    changed.write_text("Ginger eases nausea.\n")
    assert build_index(tmp_path / "index", [tmp_path / "x" / "book"]) == 1
    assert (found("ginger"), found("aspirin"), found("zinc")) == (["x/book/notes.md#1"], [], ["y/book/notes.md#1"])


def test_documents_that_cannot_be_read_are_left_out_with_a_warning_or_stop_the_build(folder, tmp_path, capfd):
    bad = {"empty.pdf": b"", "cut.pdf": pdf_of(["Rest helps."])[:200], "bad.html": b"<![a]b", "b.md": b"\xff"}
    for name, raw in bad.items():
        (folder / name).write_bytes(raw)
    build_index(tmp_path / "index", [folder])
    said = capfd.readouterr().err
    for name in bad:
        assert f"document left out: {folder / name}: " in said
    texts = TextIndex(tmp_path / "index")
    assert [hit.id for hit, _ in texts.search("paracetamol fever", limit=1)] == ["fever.md#2"]
    assert texts.info().documents == 8
    assert build_index(tmp_path / "index", [folder]) == 0  # each was read, and says so once
    with pytest.raises(InputError, match=r"b\.md: not UTF-8"):
        build_index(tmp_path / "strict", [folder], on_error="stop")


@pytest.mark.parametrize("damage", range(40))
def test_a_damaged_pdf_gives_passages_or_is_refused_and_raises_nothing_else(tmp_path, damage):
    path, chance = tmp_path / "d.pdf", random.Random(damage)
    raw = bytearray(pdf_of(["Metformin is taken with meals.", "Insulin is kept cold."]))
    for _ in range(chance.randrange(1, 30)):
        raw[chance.randrange(len(raw))] = chance.randrange(256)
    path.write_bytes(raw)
    with suppress(InputError):
        assert all(row["text"] for _, row in read_document(path, "pdf"))


def test_a_list_of_addresses_is_refused_with_how_to_save_the_pages(tmp_path):
    (tmp_path / "urls.txt").write_text("https://www.example.org/a\nhttps://www.example.org/b\n")
    with pytest.raises(InputError, match=r"wget -x -E -P pages -i urls\.txt"):
        build_index(tmp_path / "index", [tmp_path / "urls.txt"])
    page = tmp_path / "pages" / "www.example.org" / "a.html"
    page.parent.mkdir(parents=True)
    page.write_text("<h1>Fever</h1><p>Paracetamol lowers fever.</p>")
    build_index(tmp_path / "index", [tmp_path / "pages"])
    ((passage, _),) = TextIndex(tmp_path / "index").search("paracetamol", limit=5)
    assert (passage.id, passage.title) == ("www.example.org/a.html#1", "a, Fever")


def test_headings_of_a_pdf_are_lines_in_larger_letters_and_are_cited(tmp_path):
    path = tmp_path / "guideline.pdf"
    text = "Rest and fluids help most adults."
    path.write_bytes(
        pdf_of(
            [
                [(20, "Fever in"), (20, "adults"), (14, "Drugs"), (10, f"Paracetamol lowers fever. {text}")],
                [(10, f"Ibuprofen does, too. {text}"), (14, "Red flags"), (10, "A stiff neck is one."), (14, "Notes")],
            ]
        )
    )
    found = [(row["id"], row["title"], row["text"]) for _, row in read_document(path, "pdf")]
    assert found == [
        ("guideline.pdf#page=1.1", "guideline, Fever in adults, Drugs, page 1", f"Paracetamol lowers fever. {text}"),
        ("guideline.pdf#page=2.1", "guideline, Fever in adults, Drugs, page 2", f"Ibuprofen does, too. {text}"),
        ("guideline.pdf#page=2.2", "guideline, Red flags, page 2", "A stiff neck is one."),
        ("guideline.pdf#page=2.3", "guideline, page 2", "Notes"),
    ]
