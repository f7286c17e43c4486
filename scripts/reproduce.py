raise SystemExit("scripts/reproduce.py is now `coref-rc reproduce`, which takes the same arguments.")
