"""Quantities: numbers with their units, through the steps of a plan."""
