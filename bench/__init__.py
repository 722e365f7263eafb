"""Benchmarks: ratios in one run, losing results included."""
