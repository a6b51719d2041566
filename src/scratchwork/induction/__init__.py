"""Which programs could have written a rationale: lattices, choice, audit."""
