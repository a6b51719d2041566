"""What is measured: speed and memory, as ratios within one run."""
