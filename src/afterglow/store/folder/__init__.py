"""The knowledge as a folder that people and git can read: items -> files, files -> edits. No database in here.

entries     index.json: every item as data, in a published schema
names       which file an item stands in
markdown    one bullet an item, and back
files       a folder as it is now, and writing it
reconcile   what was last written, the folder now, the store now -> what goes where
incoming    somebody else's index.json -> items of ours
lint        what is wrong with items, or with a folder
"""
