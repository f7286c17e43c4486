raise SystemExit("scripts/benchmark_qanet.py is now scripts/benchmarks/updates.py; its --help says what it takes.")
