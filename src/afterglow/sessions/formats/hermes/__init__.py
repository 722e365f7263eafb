"""Hermes Agent: its database, snapshots and exports, and what its rows and results mean."""
