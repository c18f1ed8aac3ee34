"""One reading of a text for claims and safety: blocks, sentences, trees, each character mapped back."""
