"""Inviting contributors by signed links.

Promises: an invitation's token holds the contributor's number and a signature, nothing else; one
that was forged, altered or revoked raises `InvitationError`. A token lasts until it is revoked, and
can be made again from the number at any time.

Does not cover: who uses the link. Whoever has it is the contributor.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from scratchwork.collecting.forms import checked_name
from scratchwork.collecting.schema import Contributor, now
from scratchwork.collecting.signing import content_of, is_genuine, signed
from scratchwork.collecting.storing import Store, existing, row_with_id
from scratchwork.errors import UserError

_PURPOSE = "invitation"


class InvitationError(UserError):
    """A link that is not valid, or no longer valid."""


@dataclass(frozen=True, slots=True)
class Invitation:
    """A contributor and the token of the link."""

    contributor_id: int
    name: str
    token: str


def invite(store: Store, name: str) -> Invitation:
    """Invite someone; two may have the same name."""
    return invite_all(store, [name])[0]


def invite_all(store: Store, names: Iterable[str]) -> list[Invitation]:
    """Invite some people, all of them or nobody."""
    names = [checked_name(name) for name in names]
    secret = store.secret
    created = now()
    rate = store.settings.sampling.start

    def add(session: Session) -> list[Contributor]:
        # Found again if the connection was lost when they were stored.
        at_once = select(Contributor).where(Contributor.created == created).order_by(Contributor.id)
        invited = [one for one in session.scalars(at_once) if one.name in names]
        if not invited:
            invited = [Contributor(name=name, created=created, review_rate=rate) for name in names]
            session.add_all(invited)
            session.flush()
        return invited

    return [
        Invitation(one.id, one.name, signed(secret, _PURPOSE, str(one.id)))
        for one in store.write(add)
    ]


def invitation_of(store: Store, contributor_id: int) -> Invitation:
    """The invitation of a contributor, to be shown again."""
    contributor = store.read(lambda session: existing(session, Contributor, contributor_id))
    if contributor.revoked:
        raise UserError(f"the invitation of contributor {contributor_id} was revoked")
    token = signed(store.secret, _PURPOSE, str(contributor_id))
    return Invitation(contributor_id, contributor.name, token)


def contributor_of(store: Store, token: str) -> Contributor:
    """Who comes with this token; InvitationError if it is not good."""
    number = content_of(token)
    if not is_genuine(store.secret, _PURPOSE, token):
        raise InvitationError("this link is not valid; check that it was copied whole")
    return invited_contributor(store, int(number))


def invited_contributor(store: Store, contributor_id: int) -> Contributor:
    """The contributor of a signed number; InvitationError if revoked."""
    contributor = store.read(lambda session: row_with_id(session, Contributor, contributor_id))
    if contributor is None:
        raise InvitationError("this link belongs to another collection")
    if contributor.revoked:
        raise InvitationError("this link was revoked; ask those who sent it")
    return contributor


def revoke_invitation(store: Store, contributor_id: int) -> None:
    """Revoke a contributor's link; what was handed in stays."""
    _set_revoked(store, contributor_id, True)


def restore_invitation(store: Store, contributor_id: int) -> None:
    """Make a revoked link valid again."""
    _set_revoked(store, contributor_id, False)


def _set_revoked(store: Store, contributor_id: int, revoked: bool) -> None:
    def change(session: Session) -> None:
        existing(session, Contributor, contributor_id).revoked = revoked

    store.write(change)
