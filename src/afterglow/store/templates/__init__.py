"""Warm templates as files: JSON, one a template, in a published schema. No database in here.

entries     the file: template, format, checksum; reading all of it, or a glance
kept        the folder of templates: atomic writes, versions, trash
incoming    somebody else's templates -> ours: redacted, screened, not approved
older       files of older tools
"""
