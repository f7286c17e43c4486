raise SystemExit("scripts/simulate_babi.py is now `coref-rc data simulate`, which takes the same arguments.")
