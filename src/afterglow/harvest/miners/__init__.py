"""One module a miner; the table is in `harvest`."""
