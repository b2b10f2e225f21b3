"""The colour scheme of pages and pictures.

Blue against vermilion is distinguishable with every common form of colour blindness, and no meaning
depends on colour alone. Pictures are drawn in the light colours. `recolour` replaces these by CSS
variables, so that a picture follows the reader's light or dark scheme."""

import re

# role: (light, dark). The light values are unique, because `recolour` identifies a role by its
# light value.
ROLES: dict[str, tuple[str, str]] = {
    "surface": ("#ffffff", "#15181d"),
    "panel": ("#f5f7f9", "#1d2229"),
    "ink": ("#1a1f26", "#e7eaee"),
    "muted": ("#59636f", "#9fa9b6"),
    "line": ("#d6dce3", "#363e49"),
    "accent": ("#1b5fa8", "#78b0ee"),
    # outcomes
    "valid": ("#0b6b80", "#55c3d8"),
    "valid-soft": ("#e1f1f4", "#12323a"),
    "unknown": ("#855f00", "#e3b341"),
    "unknown-soft": ("#fbf1d6", "#372d12"),
    "violated": ("#b93414", "#ff8a6b"),
    "violated-soft": ("#fce6df", "#43201a"),
    # holds
    "live": ("#2f6fb5", "#5f9fe3"),
    "stale": ("#c4d8ee", "#29415c"),
    "overlap": ("#d2381a", "#ff6d4d"),
    # faults
    "pause": ("#c28a00", "#dba72f"),
    "network": ("#8250b8", "#b48be0"),
    "clock": ("#1f8a70", "#4fc2a5"),
    "outage": ("#6f6459", "#a99c8f"),
}

LIGHT = {role: light for role, (light, _) in ROLES.items()}

def css_variables(scheme: int) -> str:
    """Returns `--ink: #...;` for every role; scheme 0 is light, 1 is dark."""
    return " ".join(f"--{role}: {colours[scheme]};" for role, colours in ROLES.items())


def recolour(svg: str) -> str:
    role_of = {light: role for role, light in LIGHT.items()}

    def variable(match: re.Match[str]) -> str:
        role = role_of.get(match.group(0))
        return f"var(--{role})" if role else match.group(0)

    return re.sub(r"#[0-9a-f]{6}\b", variable, svg)
