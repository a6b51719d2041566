"""All questions in fixed words, in the order in which they are tried.

Promises: one table.
"""

from scratchwork.exact.averages import AVERAGE_QUESTIONS
from scratchwork.exact.conversions import CONVERSION_QUESTIONS
from scratchwork.exact.digits import DIGIT_QUESTIONS
from scratchwork.exact.divisors import DIVISOR_QUESTIONS
from scratchwork.exact.letters import LETTER_QUESTIONS
from scratchwork.exact.primes import PRIME_QUESTIONS
from scratchwork.exact.series import SERIES_QUESTIONS
from scratchwork.exact.times import TIME_QUESTIONS
from scratchwork.exact.weekdays import WEEKDAY_QUESTIONS

QUESTIONS = (
    *DIGIT_QUESTIONS,
    *PRIME_QUESTIONS,
    *DIVISOR_QUESTIONS,
    *LETTER_QUESTIONS,
    *AVERAGE_QUESTIONS,
    *SERIES_QUESTIONS,
    *WEEKDAY_QUESTIONS,
    *TIME_QUESTIONS,
    *CONVERSION_QUESTIONS,
)
