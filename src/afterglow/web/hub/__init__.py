"""A team's hub: the same pages for everybody who may see them, the door for machines, MCP, health and numbers."""
