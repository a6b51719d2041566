"""Invitations: who has the link comes in, nobody else."""

import stat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scratchwork.collecting.inviting import (
    InvitationError,
    contributor_of,
    invitation_of,
    invite,
    restore_invitation,
    revoke_invitation,
)
from scratchwork.collecting.signing import is_genuine, signed
from scratchwork.collecting.storing import Store
from scratchwork.errors import UserError
from tests.collecting.test_storing import HOSTILE

SECRET = b"k" * 32


def test_a_link_leads_to_its_contributor_and_can_be_shown_again(store: Store) -> None:
    one, other = invite(store, "Mira"), invite(store, "Mira")
    assert one.contributor_id != other.contributor_id
    assert contributor_of(store, one.token).id == one.contributor_id
    assert contributor_of(store, other.token).name == "Mira"
    assert invitation_of(store, one.contributor_id) == one


def test_a_revoked_link_is_refused_until_it_is_restored(store: Store) -> None:
    invitation = invite(store, "Mira")
    revoke_invitation(store, invitation.contributor_id)
    with pytest.raises(InvitationError, match="revoked"):
        contributor_of(store, invitation.token)
    with pytest.raises(UserError, match="revoked"):
        invitation_of(store, invitation.contributor_id)
    restore_invitation(store, invitation.contributor_id)
    assert contributor_of(store, invitation.token).id == invitation.contributor_id


def test_a_contributor_who_is_not_there_is_told_so(store: Store) -> None:
    for number in (99, 0, -1, 10**30):
        for act in (revoke_invitation, restore_invitation, invitation_of):
            with pytest.raises(UserError, match="there is no contributor"):
                act(store, number)


def test_forged_and_altered_links_are_refused(store: Store) -> None:
    token = invite(store, "Mira").token
    invite(store, "Ann")
    number, _, signature = token.partition(".")
    forged = [
        "",
        ".",
        "1",
        "1.",
        f"2.{signature}",
        f"0{number}.{signature}",
        f"{number}..{signature}",
    ]
    forged += [token + "=", token + "A", token[:-1], " " + token, token.swapcase(), "é" + token]
    forged += [
        signed(b"another secret" * 3, "invitation", "1"),
        signed(store.secret, "session", "1"),
    ]
    forged += [f"{number}.{'A' * 43}", "x" * 100_000, "1.\0", token + "\n"]
    for text in forged:
        with pytest.raises(InvitationError, match="not valid"):
            contributor_of(store, text)


def test_a_genuine_link_of_another_collection_is_refused(store: Store) -> None:
    for number in (77, 10**15):
        with pytest.raises(InvitationError, match="another collection"):
            contributor_of(store, signed(store.secret, "invitation", str(number)))


def test_every_single_changed_character_spoils_a_link() -> None:
    token = signed(SECRET, "invitation", "17")
    for place in range(len(token)):
        for character in "Aa0_-.":
            changed = token[:place] + character + token[place + 1 :]
            assert is_genuine(SECRET, "invitation", changed) == (changed == token)


@given(st.text(max_size=60), st.text(max_size=20))
def test_no_text_is_genuine_by_chance(text: str, purpose: str) -> None:
    assert not is_genuine(SECRET, purpose, text)


def test_a_name_that_is_none_is_refused(store: Store) -> None:
    for name in ("", "  ", "a\nb", "a" * 201, "a\0b", "\ud800", "a\x1b[2Jb"):
        with pytest.raises(UserError, match="the name"):
            invite(store, name)


def test_whatever_a_name_holds_comes_back(store: Store) -> None:
    for name in HOSTILE:
        assert contributor_of(store, invite(store, name).token).name == name


def test_only_the_owner_may_read_the_secret(store: Store) -> None:
    assert store.folder is not None
    assert stat.S_IMODE((store.folder / "secret").stat().st_mode) == 0o600
