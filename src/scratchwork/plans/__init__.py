"""Plans: what a program computes, without the words."""
