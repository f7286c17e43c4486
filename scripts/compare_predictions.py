raise SystemExit("scripts/compare_predictions.py is now `coref-rc compare`, which takes the same arguments.")
