"""Search with execution in the loop."""
