"""Goose: sessions in a database, before that a file each."""
