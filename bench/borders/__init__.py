"""Attempts to cross a border of rights at a hub: by raw SQL under the server's own roles, and over HTTP."""
