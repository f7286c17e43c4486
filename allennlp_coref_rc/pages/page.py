RED = "220, 40, 40"

STYLE = "body { font-family: sans-serif; max-width: 60em; margin: 2em auto; line-height: 1.6 }"


def html_page(body: str) -> str:
    """A standalone HTML page."""
    head = f'<meta charset="utf-8"><style>{STYLE}</style>'
    return f"<!DOCTYPE html><html><head>{head}</head><body>\n{body}\n</body></html>\n"
