"""Experiments: plans, assignment, outcomes, analysis, reports. Values in, values out: no store, no environment."""
