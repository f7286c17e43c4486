raise SystemExit("scripts/questions_to_jsonl.py is now `coref-rc data to-jsonl`, which takes the same arguments.")
