raise SystemExit(
    "scripts/benchmark_annotators.py is now scripts/benchmarks/annotators.py; its --help says what it takes."
)
