"""What a program computes, without the words."""
