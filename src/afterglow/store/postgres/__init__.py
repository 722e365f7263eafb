"""The stores of a hub: the same contracts over PostgreSQL."""
