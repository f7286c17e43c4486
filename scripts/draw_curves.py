raise SystemExit("scripts/draw_curves.py is now `coref-rc draw curves`, which takes the same arguments.")
