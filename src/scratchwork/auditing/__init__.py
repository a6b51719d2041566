"""Checking derivations, whoever wrote them."""
