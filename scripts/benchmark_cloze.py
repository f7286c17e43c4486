raise SystemExit("scripts/benchmark_cloze.py is now scripts/benchmarks/updates.py; its --help says what it takes.")
