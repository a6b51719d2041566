"""The workshop: people write new problems from seeds, others review them, a data set comes out."""
