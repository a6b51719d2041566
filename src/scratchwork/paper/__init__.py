"""The paper's model and its baselines."""
