"""The script that Streamlit runs. Its argument is a JSON object with the arguments of `show`."""

import json
import sys

import streamlit as st

from allennlp_coref_rc.allennlp_runtime.lazy_registry import import_allennlp

st.set_page_config(page_title="coref-rc demo", layout="wide")

# These imports take seconds the first time.
with st.spinner("Starting …"):
    import_allennlp()
    from allennlp_coref_rc.playground._screen import show

show(**json.loads(sys.argv[1]))
