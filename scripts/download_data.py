raise SystemExit("scripts/download_data.py is now `coref-rc data download`, which takes the same arguments.")
