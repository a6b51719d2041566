"""Values, operations, programs, their execution and traces."""
