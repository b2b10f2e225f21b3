"""Names of claims that have changed since version 0.1.0. Old files have them, and are read for one
release more; lib/base/old_names.cc has the same table."""

RENAMED_CLAIMS = {
    "told": "release-result",
    "warned": "lost-lock-notification",
    "settled": "call-timeout",
    "cleared": "key-leak",
    "quiet": "idle-traffic",
    "obtained": "availability",
}


def current_claim(name: str) -> str:
    """The new name of a renamed claim; any other word as it is."""
    return RENAMED_CLAIMS.get(name, name)
