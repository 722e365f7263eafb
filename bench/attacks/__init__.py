"""Attacks by a stranger, each planted in real files and carried through the real flows: what does an agent get to read?"""
