"""The command line: a table of contents over the flows."""
