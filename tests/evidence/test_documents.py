"""A folder of guidelines becomes evidence whose passages name file, heading and page."""

import random

import pytest

from fas.core.errors import InputError
from fas.evidence.build import build_index
from fas.evidence.documents import MOST_WORDS, read_document
from fas.evidence.index import TextIndex


def pdf_of(pages: list[str]) -> bytes:
    """A PDF by hand, one text object a page (PDF 32000-1, 7.5 and 9.4)."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", ""]
    kids = []
    for page in pages:
        lines = "".join(f"({line.replace('(', '[').replace(')', ']')}) Tj T* " for line in page.split("\n"))
        stream = f"BT /F1 12 Tf 14 TL 50 700 Td {lines}ET"
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
    assert "1 files of other kinds left out (.png)" in caplog.text
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
    with pytest.raises(InputError, match=r"broken\.pdf: not a PDF"):
        list(read_document(path, "pdf"))


def test_a_page_without_text_is_named(tmp_path, caplog):
    path = tmp_path / "scan.pdf"
    path.write_bytes(pdf_of(["Text.", ""]))
    assert len(list(read_document(path, "pdf"))) == 1
    assert "no text on page 2" in caplog.text


def test_a_folder_without_a_known_file_is_refused(tmp_path):
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "a.png").write_bytes(b"")
    with pytest.raises(InputError, match="no file of a known kind"):
        build_index(tmp_path / "index", [tmp_path / "pictures"])


def test_documents_of_one_name_in_two_folders_are_both_kept(tmp_path):
    for place, text in (("x", "Aspirin thins blood."), ("y", "Zinc shortens colds.")):
        (tmp_path / "all" / place).mkdir(parents=True)
        (tmp_path / "all" / place / "notes.txt").write_text(text + "\n")
    build_index(tmp_path / "index", [tmp_path / "all"])
    index = TextIndex(tmp_path / "index")
    assert index.search("aspirin", limit=1)[0][0].id == "x/notes.txt#1"
    assert index.search("zinc", limit=1)[0][0].id == "y/notes.txt#1"


def test_two_documents_that_would_be_cited_alike_are_refused(tmp_path):
    for place in ("x", "y"):
        (tmp_path / place).mkdir()
        (tmp_path / place / "notes.md").write_text(f"About {place}.\n")
    with pytest.raises(InputError, match="would replace"):
        build_index(tmp_path / "index", [tmp_path / "x", tmp_path / "y"])
    assert not (tmp_path / "index").exists()
