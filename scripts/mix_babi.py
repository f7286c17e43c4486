raise SystemExit("scripts/mix_babi.py is now `coref-rc data mix`, which takes the same arguments.")
