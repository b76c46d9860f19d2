"""What `harness mcp` offers: the agent and its recordings as tools."""
