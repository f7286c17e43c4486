raise SystemExit("scripts/benchmark_dassa.py is now scripts/benchmarks/encoders.py; its --help says what it takes.")
