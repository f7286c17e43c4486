raise SystemExit(
    "scripts/ensemble_predictions.py is now `coref-rc compare --ensemble OUTPUT FILE …`, "
    "which takes the same arguments."
)
