"""How often the windows that the verifier reads hold the sentence that experts marked as evidence.

    python window_recall.py --data ../../../../shared/data

Check-COVID's abstracts, all parts: what the place of a window and the words it shares with the claim count beside its
cosine (`fas/text/windows.py`) was chosen here.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from experts import Checked, check_covid_claims
from fas.records import Claim, Pair, Passage
from fas.verify.nli import NliVerifier


def recall(verifier: NliVerifier, claims: list[Checked]) -> float:
    """The share of *claims* of which some window read holds a whole evidence set."""
    near = verifier.choose([Pair(Claim(item.claim), Passage(item.abstract)) for item in claims])
    held = 0
    for item, own in zip(claims, near, strict=True):
        texts = [" ".join(window.text.split()) for window in own.windows]
        held += any(all(sentence in text for sentence in sentences) for sentences in item.evidence for text in texts)
    return held / len(claims)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    options = parser.parse_args()
    claims = [item for split in ("train", "dev", "test") for item in check_covid_claims(options.data, split)]
    for windows in (1, 2, 3, 4):
        verifier = NliVerifier(windows=windows, precision="fp32", cache=False)
        print(f"{windows} windows: evidence read in {recall(verifier, claims):.3f} of {len(claims)} abstracts")


if __name__ == "__main__":
    main()
