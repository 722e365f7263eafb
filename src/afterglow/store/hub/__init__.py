"""A hub's own tables, beside those of the stores: people and rights, and what machines contribute."""
