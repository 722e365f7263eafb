"""Copilot Chat in VS Code: a document a chat, or since 2026 lines that change one."""
