"""How good solutions are: perplexity, BLEU, accuracy, and the report of all three."""
