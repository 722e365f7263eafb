"""What a model tells of a session is checked here before it is kept: it cites lines, and they must say so.

spots      where in a session a lesson may lie
showing    what of it a model may read
citing     the words a citation quotes, found in their place
support    whether the cited words carry the sentence
sameness   whether an item says the same, and what it is worth with that evidence
"""
