"""Names of claims that changed after version 0.1.0. Files with old names are read for one more
release. lib/base/old_names.cc has the same table."""

RENAMED_CLAIMS = {
    "told": "release-result",
    "warned": "lost-lock-notification",
    "settled": "call-timeout",
    "cleared": "key-leak",
    "quiet": "idle-traffic",
    "obtained": "availability",
}


def current_claim(name: str) -> str:
    """Returns the new name of a renamed claim, and any other name unchanged."""
    return RENAMED_CLAIMS.get(name, name)
