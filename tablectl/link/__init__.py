"""The Unix socket of the core: JSON-RPC 2.0, one message a line (docs: `link.protocol`)."""
