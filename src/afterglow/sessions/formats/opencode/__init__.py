"""OpenCode: sessions of messages, messages of parts, in a database, in files, or exported as one document."""
