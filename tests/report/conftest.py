"""Pages of HTML, read as a browser would."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest


class Balanced(HTMLParser):
    """Every element is closed; what it refers to and what it says."""

    def __init__(self, text):
        super().__init__()
        self.open, self.seen, self.attributes, self.text = [], [], [], []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        self.attributes += attrs
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        """White space is one blank, but in text as it is typed."""
        self.text.append(data if "pre" in self.open else " ".join(data.split()))


@pytest.fixture(scope="session")
def read_page():
    """``read_page(text)`` with ``seen`` (elements), ``attributes`` and ``text``."""
    return Balanced
