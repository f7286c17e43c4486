raise SystemExit("scripts/draw_story.py is now `coref-rc draw story`, which takes the same arguments.")
