"""Plans explained: the words around a plan's calculations."""
