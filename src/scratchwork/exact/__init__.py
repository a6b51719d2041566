"""Questions that are themselves mathematics, answered without a model."""
