"""The problem generator and its family files."""
