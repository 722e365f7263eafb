"""A closed loop with a real model: does what a session taught help the next one? See README.md here."""
