"""Paths as tables, drawing programs, batches, the training loop and its checkpoints."""
