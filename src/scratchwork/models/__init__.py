"""Networks that score programs: one readable file each."""
