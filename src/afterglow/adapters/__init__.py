"""Adapters: how agents that others wrote, and the packages of model APIs, start warm. One module each (docs/adapters.md)."""
