"""Read, check, write, tokenise, describe and compare word problems."""
