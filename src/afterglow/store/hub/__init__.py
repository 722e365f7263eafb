"""A hub's database: its layout, who may ask it, and what they may do. Nothing above the database is trusted with it."""
