raise SystemExit(
    "scripts/benchmark_oracle_spans.py is now scripts/evaluate_oracle_spans.py; its --help says what it takes."
)
