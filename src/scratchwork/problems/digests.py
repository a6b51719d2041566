"""Checksums of files, which say what exactly was read.

Promises: `sha256_of` is the SHA-256 of a file's bytes as they lie on the disk, compressed ones
included, in the form that `sha256sum` prints.
"""

import hashlib
from pathlib import Path


def sha256_of(path: Path) -> str:
    """The checksum of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
