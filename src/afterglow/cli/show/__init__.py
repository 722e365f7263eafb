"""Records as text for the terminal, one module a noun."""
