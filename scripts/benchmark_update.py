raise SystemExit("scripts/benchmark_update.py is now scripts/benchmarks/updates.py; its --help says what it takes.")
