"""Checking rationales written by people or models."""
