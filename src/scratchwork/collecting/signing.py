"""Texts signed with a collection's secret.

Promises: a token is the text and an HMAC-SHA256 of its purpose and the text; without
the secret it cannot be made, altered or used for another purpose. Checked in constant time.
"""

import base64
import hashlib
import hmac

LONGEST_TOKEN = 500


def signed(secret: bytes, purpose: str, content: str) -> str:
    """The token of a text, which must hold no dot at its end."""
    return f"{content}.{_signature(secret, purpose, content)}"


def content_of(token: str) -> str:
    """The text of a token, unchecked: to find out what to check it with."""
    return token.rpartition(".")[0]


def is_genuine(secret: bytes, purpose: str, token: str) -> bool:
    """Whether the token was made with this secret for this purpose."""
    if len(token) > LONGEST_TOKEN or not token.isascii():
        return False
    content, _, signature = token.rpartition(".")
    # Compared as texts: the last character of Base64 has bits that decoding passes over.
    return hmac.compare_digest(signature, _signature(secret, purpose, content))


def _signature(secret: bytes, purpose: str, content: str) -> str:
    message = f"{len(purpose)}:{purpose}:{content}".encode()
    digest = hmac.new(secret, message, hashlib.sha256).digest()
    return base64.urlsafe_b64encode(digest).decode("ascii").rstrip("=")
