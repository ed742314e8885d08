"""Is Ctrl-C behind an error?"""


def is_interrupt(error: BaseException | None) -> bool:
    """Whether an error is, or was made of, a KeyboardInterrupt.

    Python 3.11 makes a RuntimeError of one that comes while a class is made, as in many imports.
    """
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None
