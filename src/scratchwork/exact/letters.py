"""Questions about the letters of a word.

Promises: how many letters a word has, how many of them are one letter or vowels, and in how many
ways they can be arranged. The word is said to be one, or stands in quotation marks or capitals,
where it could be taken for something else: the alphabet has 26 letters, the word `alphabet` 8.

Does not cover: arrangements under a condition, several words.
"""

from scratchwork.exact.matching import Said
from scratchwork.exact.no_value import BeyondError
from scratchwork.exact.patterns import Found, question
from scratchwork.exact.procedures import Procedure, value_said
from scratchwork.exact.writing import Work
from scratchwork.machine.number_words import numbers_in
from scratchwork.machine.written_values import value_of_tree
from scratchwork.plans.plan import PlanWord
from scratchwork.problems.tokens import source_tokens

_VOWELS = "aeiou"
_MOST_ARRANGED = 17
"""Letters whose arrangements can be counted."""


def _word(found: Found, work: Work, name: str = "word") -> PlanWord:
    """The word of the question that stands in a slot."""
    (lexeme,) = found.part(name)
    text = source_tokens(work.problem)[lexeme.place - 1] if lexeme.place else ""
    value = None if lexeme.tree is None or lexeme.kind != "number" else value_of_tree(lexeme.tree)
    is_whole = value is None or list(numbers_in([text]).values()) == [value]
    if not text.isalpha() or not is_whole:
        raise BeyondError
    if found.has("bare") and not text.isupper():
        raise BeyondError
    return PlanWord(text, lexeme.place)


def _letters(found: Found) -> Procedure:
    def steps(work: Work) -> Said:
        count = work.step("Letter_Count", _word(found, work))
        work.say_steps()
        return value_said(count, work)

    return Procedure(steps)


def _one_letter(found: Found) -> Procedure:
    def steps(work: Work) -> Said:
        word, letter = _word(found, work), _word(found, work, "letter")
        if len(letter.text) > 1:
            raise BeyondError
        count = work.step("Occurrences", word, letter)
        work.say_steps()
        return value_said(count, work)

    return Procedure(steps)


def _vowels(found: Found) -> Procedure:
    def steps(work: Work) -> Said:
        word = _word(found, work)
        vowels = sorted({*word.text.lower()} & {*_VOWELS})
        if "y" in word.text.lower() or not vowels:
            raise BeyondError  # some count y as a vowel
        total = work.step("Occurrences", word, PlanWord(vowels[0]))
        for vowel in vowels[1:]:
            total = work.step("Add", total, work.step("Occurrences", word, PlanWord(vowel)))
        work.say_steps()
        return value_said(total, work)

    return Procedure(steps)


def _arrangements(found: Found) -> Procedure:
    def steps(work: Work) -> Said:
        word = _word(found, work)
        letters = word.text.lower()
        if len(letters) > _MOST_ARRANGED or not letters.isascii():
            raise BeyondError
        ways = work.step("Factorial", work.step("Letter_Count", word))
        for letter in dict.fromkeys(letters):
            if letters.count(letter) > 1:
                times = work.step("Occurrences", word, PlanWord(letter))
                ways = work.step("Divide", ways, work.step("Factorial", times))
        work.say_steps()
        return value_said(ways, work)

    return Procedure(steps)


_MARK = r"""["'“”‘’`]"""
_MARKED = rf"(?:word (?:{_MARK} )?|{_MARK} |(?P<bare>)){{word}}(?: {_MARK})?"
"""A word by itself must be in capitals."""
_BARE = rf"(?:word )?(?:{_MARK} )?{{word}}(?: {_MARK})?"
_ARE_IN = r"(?:(?:are )?(?:there )?(?:are )?in|of)"
_ARRANGED = r"(?:in )?how many (?:different |distinct )?ways (?:can )?(?:all )?letters (?:of|in) "
LETTER_QUESTIONS = (
    question(rf"(?:how many|number of|count) letters {_ARE_IN} {_MARKED}", _letters),
    question(rf"how many letters does {_MARKED} (?:have|contain)", _letters),
    question(rf"how many letters has {_MARKED}", _letters),
    question(
        rf"how (?:many times|often) does (?:letter )?(?:{_MARK} )?(?P<letter>[a-z])(?: {_MARK})? "
        rf"(?:appear|occur|come up|stand) in {_BARE}",
        _one_letter,
    ),
    question(
        rf"how many (?:letter )?(?P<letter>[a-z])(?: 's)? {_ARE_IN} {_BARE}",
        _one_letter,
    ),
    question(rf"(?:how many|number of|count) vowels {_ARE_IN} {_MARKED}", _vowels),
    question(rf"how many vowels does {_MARKED} (?:have|contain)", _vowels),
    question(rf"{_ARRANGED}{_MARKED} be (?:arranged|rearranged|ordered)", _arrangements),
    question(
        r"(?:how many|number of) (?:different |distinct )?(?:arrangements|permutations|anagrams) "
        rf"(?:are )?(?:there )?(?:of|from) (?:all )?letters (?:of|in) {_MARKED}",
        _arrangements,
    ),
)
"""What is asked of letters."""
