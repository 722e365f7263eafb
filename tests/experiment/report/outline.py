"""What a page consists of: read with a parser, so that nothing is believed because it looks right."""

import re
from html.parser import HTMLParser

VOID = {"meta", "br"}


class Outline(HTMLParser):
    """Checks that tags close in order; collects headings, text, tags, ids and links."""

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.headings, self.text, self.ids, self.links = (
            [],
            set(),
            [],
            [],
            [],
            [],
        )

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        named = dict(attrs)
        self.ids += [named["id"]] if "id" in named else []
        self.links += [named["href"]] if "href" in named else []
        assert not [name for name in named if name.startswith("on") or name == "src"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.add(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in ("h1", "h2"):
            self.headings.append(data)
        if "style" not in self.open:
            self.text.append(data)


def outline(html):
    found = Outline()
    found.feed(html)
    found.close()
    assert not found.open
    return found


def text(html):
    return re.sub(r"\s+", " ", "".join(outline(html).text))
