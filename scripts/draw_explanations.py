raise SystemExit("scripts/draw_explanations.py is now `coref-rc draw explanations`, which takes the same arguments.")
