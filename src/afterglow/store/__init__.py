"""What is kept. `catalog.db` may be deleted at any time: the next scan makes it anew."""
