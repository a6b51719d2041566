"""The shipped model: it finds plans and lets them vote."""
