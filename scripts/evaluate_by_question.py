raise SystemExit("scripts/evaluate_by_question.py is now `coref-rc draw questions`, which takes the same arguments.")
