"""Teaching the solver: lessons, the training loop, learning from its own plans."""
