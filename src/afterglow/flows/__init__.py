"""The verbs, one folder a door: the only place where stages meet. Surfaces call these and show what comes back.

Outside a folder only its `__init__` is imported; what lies inside is its own. Beside the doors: how work is spread
over processes, the redactor of a home, and the model its settings name.
"""
