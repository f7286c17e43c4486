from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

_environment = Environment(
    loader=PackageLoader("allennlp_coref_rc", "pages"),
    autoescape=lambda name: name is not None and name.endswith(".html.jinja"),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def render(template: str, **values: Any) -> str:
    """Fills a template of this package, such as `"fragment.html.jinja"`. HTML in the values is escaped."""
    return _environment.get_template(template).render(**values)
