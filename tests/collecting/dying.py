"""A process that hands in and dies in the middle: `python dying.py FOLDER WHEN HAND-IN`.

WHEN is `before_commit` or `after_commit`; HAND-IN is an object in JSON.
"""

import json
import os
import signal
import sys

from sqlalchemy import event
from sqlalchemy.orm import Session

from scratchwork.collecting.handing_in import HandIn, hand_in
from scratchwork.collecting.neighbours import Neighbours
from scratchwork.collecting.storing import Store


def main() -> None:
    """Hand in, and never come to the end."""
    folder, when, sent = sys.argv[1:]
    store = Store.open(folder)
    event.listen(Session, when, lambda _: os.kill(os.getpid(), signal.SIGKILL))
    content = json.loads(sent)
    contributor_id = content.pop("contributor_id")
    hand_in(store, Neighbours(), contributor_id, HandIn(**content))


if __name__ == "__main__":
    main()
