raise SystemExit("scripts/benchmark_readers.py is now scripts/benchmarks/readers.py; its --help says what it takes.")
