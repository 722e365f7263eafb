"""Pages that only a hub has. Each module has its ROUTES."""
