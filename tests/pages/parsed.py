"""What a browser would find on a page."""

from html.parser import HTMLParser
from typing import Optional

VOID = {"meta", "input", "br", "link", "img", "hr"}


class Element:
    def __init__(self, tag: str, attributes: dict[str, Optional[str]], parent: Optional["Element"]) -> None:
        self.tag, self.attributes, self.parent = tag, attributes, parent
        self.content: list = []

    @property
    def classes(self) -> list[str]:
        return (self.attributes.get("class") or "").split()

    @property
    def text(self) -> str:
        return "".join(part if isinstance(part, str) else part.text for part in self.content)

    def all(self, *, tag: str = "", of_class: str = "", **attributes: str) -> list["Element"]:
        """The elements in this one, in order."""
        found = []
        for part in self.content:
            if isinstance(part, Element):
                fits = tag in ("", part.tag) and (not of_class or of_class in part.classes)
                if fits and all(part.attributes.get(key) == value for key, value in attributes.items()):
                    found.append(part)
                found += part.all(tag=tag, of_class=of_class, **attributes)
        return found


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = self.place = Element("", {}, None)

    def handle_starttag(self, tag, attributes):
        element = Element(tag, dict(attributes), self.place)
        self.place.content.append(element)
        if tag not in VOID:
            self.place = element

    def handle_endtag(self, tag):
        assert tag == self.place.tag, f"found </{tag}>, expected </{self.place.tag}>"
        self.place = self.place.parent

    def handle_data(self, data):
        self.place.content.append(data)


def parse(html: str) -> Element:
    """The tree of a page, all of whose elements are closed."""
    parser = _Parser()
    parser.feed(html)
    assert parser.place is parser.root
    return parser.root
