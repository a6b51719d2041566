"""The one class of errors that are meant for the user's eyes."""


class UserError(Exception):
    """Something the user can mend; its text is one sentence: what, where, and what to do.

    The command line prints the text and exits with 2; a library caller may catch it. Errors of
    other classes are defects of this package.
    """
