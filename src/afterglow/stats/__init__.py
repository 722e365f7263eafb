"""Rates and numbers with their intervals."""
