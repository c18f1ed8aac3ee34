"""The parts of a page: tags, text and blocks of JSON."""

from __future__ import annotations

from html.parser import HTMLParser


class Parts(HTMLParser):
    """Tags, attributes, visible text and JSON blocks of a page."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags, self.text, self.blocks, self._inside = [], [], {}, None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self._inside = (tag, dict(attrs)) if tag in ("script", "style") else self._inside

    def handle_endtag(self, tag):
        self._inside = None if tag in ("script", "style") else self._inside

    def handle_data(self, data):
        if self._inside is None:
            self.text.append(data)
        elif self._inside[1].get("type") == "application/json":
            name = self._inside[1]["id"]
            self.blocks[name] = self.blocks.get(name, "") + data
