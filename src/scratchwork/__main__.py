"""`python -m scratchwork`, for what starts modules rather than commands (torchrun)."""

from scratchwork.cli.main import main

main()
