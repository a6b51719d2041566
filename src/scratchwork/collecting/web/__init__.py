"""The pages of a collection: for those who write problems, and for those who review them."""
