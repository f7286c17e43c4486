"""The script that Streamlit runs. Its argument is a JSON object with the arguments of `show`."""

import json
import sys

import streamlit as st

st.set_page_config(page_title="coref-rc demo", layout="wide")

# This import takes seconds the first time.
with st.spinner("Starting …"):
    from allennlp_coref_rc.playground._screen import show

show(**json.loads(sys.argv[1]))
