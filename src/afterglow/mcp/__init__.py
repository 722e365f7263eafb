"""The MCP server: an agent asks for what earlier sessions taught, and hands back what this one did.

Tools parse nothing and decide nothing: each calls one flow and answers with its record. What they return is what was
harvested, as data; every answer says so. Importing this needs no package beyond our own; `server` needs the `mcp` SDK.
"""
