"""
Opens a page in the browser on which you ask trained readers about a passage, see and edit its clusters, and
watch the answer change. The server listens on this machine only (127.0.0.1). Without an archive, the page has
two readers of simulated stories that come with the package, GRU and C-GRU. You need Streamlit (the extra
"demo"). See docs/playground.md.
"""

import argparse

HELP = "ask trained readers in the browser, edit clusters, and watch the answer change"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    archives = "trained readers, each ARCHIVE or NAME=ARCHIVE (default: those of the package)"
    add("archives", nargs="*", metavar="ARCHIVE", help=archives)
    add("--port", type=int, metavar="N", help="default: 8501, or the next one that is free")
    add("--headless", action="store_true", help="open no browser")
    trust = "trust the archives and the configs on the page, which can then run any program"
    add("--trust", action="store_true", help=trust)


def run(args: argparse.Namespace) -> None:
    from allennlp_coref_rc.api.load import BUNDLED
    from allennlp_coref_rc.common.files import named_paths
    from allennlp_coref_rc.playground.server import serve
    from allennlp_coref_rc.safe_archives.archives import config_of

    archives = named_paths(args.archives) if args.archives else BUNDLED
    for path in archives.values():
        # An archive that is missing or damaged is an error here, before the page opens.
        config_of(path, args.trust)
    serve(archives, args.trust, args.port, args.headless)
