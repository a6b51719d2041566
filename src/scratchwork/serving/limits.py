"""How much the server takes on; everything a client can make larger has a bound here."""

LARGEST_BODY = 64 * 1024
"""Bytes of a request's body."""
LONGEST_TEXT = 10_000
"""Characters of a question, a rationale or a program."""
LONGEST_OPTION = 1_000
MOST_TOKENS = 600
"""Tokens of a problem that is solved, its options included: a model's memory grows with them."""
MOST_NUMBERS = 150
"""Numbers of a rationale and its problem in an audit: the work grows faster than their square."""
MOST_PROBLEMS = 50
"""Problems generated for one request."""
LARGEST_SEED = 2**53 - 1
"""The largest whole number that every JSON reader keeps exact."""

MOST_WAITING = 64
"""Requests that may wait for the model; as many again may wait for other work."""
MOST_TOGETHER = 32
"""Problems solved in one batch; still larger ones hardly take less time for each."""
GATHERING_SECONDS = 0.005
"""How long the first of a batch waits for others."""
MOST_AT_WORK = 2
"""Audits, executions and generations that run at the same time."""

BODY_SECONDS = 10.0
"""How long a client may take to send its request."""
VOTING_SECONDS = 0.25
"""How long a problem's votes stand, at least, before newer ones are told."""
SOLVING_SECONDS = 60.0
"""How long a request may wait for its solution."""
EXPECTED_SECONDS = 40.0
"""Who would wait longer than this is turned away at once, rather than let down later."""
RETRY_SECONDS = 2
"""When to come again, told to those who were turned away."""
