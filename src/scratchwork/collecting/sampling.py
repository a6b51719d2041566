"""Which submissions are reviewed, and how a contributor's work changes that.

The rule (its numbers are `settings.SamplingRule`): a contributor's first three submissions are in
the sample, later ones with the contributor's review rate, which starts at 0.2. A rejection doubles
the rate, to at least 0.5 and at most 1, and ends the streak. Five accepted samples in a row halve
it, to not less than 0.1, and a new streak begins. A correction ends the streak and leaves the rate.
A tenth of the sample goes to two reviewers.

Promises: a choice depends on the collection's `randomness` and the submission's number alone, so
that anyone who has them can make it again.
"""

import hashlib

from scratchwork.collecting.schema import SubmissionStatus
from scratchwork.collecting.settings import SamplingRule


def keyed_chance(randomness: int, submission_id: int, purpose: str) -> float:
    """A number of [0, 1), the same for the same arguments, as if drawn at random for each."""
    text = f"{randomness}:{purpose}:{submission_id}"
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return int.from_bytes(digest[:6], "big") / 2**48


def is_sampled(
    rule: SamplingRule, randomness: int, submission_id: int, earlier: int, rate: float
) -> bool:
    """Whether a submission is in the sample; `earlier` ones of the contributor came before it."""
    return earlier < rule.first or keyed_chance(randomness, submission_id, "sample") < rate


def goes_to_two(rule: SamplingRule, randomness: int, submission_id: int) -> bool:
    """Whether a submission, if it is in the sample, goes to two reviewers."""
    return keyed_chance(randomness, submission_id, "twice") < rule.twice


def standing_after(
    rule: SamplingRule, rate: float, streak: int, status: SubmissionStatus, in_sample: bool
) -> tuple[float, int]:
    """Review rate and streak after a submission got a status."""
    if status == "rejected":
        return max(rule.after_rejection, min(1.0, 2 * rate)), 0
    if status == "corrected":
        return rate, 0
    if status == "accepted" and in_sample:
        if streak + 1 < rule.streak:
            return rate, streak + 1
        return max(rule.least, rate / 2), 0
    return rate, streak
