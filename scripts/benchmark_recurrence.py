raise SystemExit(
    "scripts/benchmark_recurrence.py is now scripts/benchmarks/recurrence.py; its --help says what it takes."
)
