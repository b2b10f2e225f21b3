"""A measured figure with its limit, and how the programs that measure are run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from math import comb
from statistics import median


@dataclass(frozen=True)
class Figure:
    name: str
    values: list[float]
    unit: str
    limit: float | None  # None: reported, not required
    at_least: bool
    beside: str = ""

    @property
    def state(self) -> str:
        """`ok`, `MISSED`, or `unsure`: the median misses the limit, but so many turns meet it that
        this may be chance (a sign test at 5 %)."""
        def meets(value: float) -> bool:
            return self.limit is None or (value >= self.limit if self.at_least else value <= self.limit)

        if meets(median(self.values)):
            return "ok"
        turns, meeting = len(self.values), sum(map(meets, self.values))
        chance = sum(comb(turns, few) for few in range(meeting + 1)) / 2**turns
        return "unsure" if meeting > 0 and chance > 0.05 else "MISSED"

    @property
    def met(self) -> bool:
        return self.state != "MISSED"

    def line(self) -> str:
        sign = ">=" if self.at_least else "<="
        limit = "" if self.limit is None else f"  limit {sign} {self.limit:g} {self.unit}"
        spread = f"{min(self.values):.4g} to {max(self.values):.4g}"
        return (
            f"{self.state:<6} {self.name:<46} {median(self.values):8.4g} {self.unit:<6}"
            f" ({spread}, n={len(self.values)}){limit}  {self.beside}"
        )


def run_json(command: list[str], environment: dict[str, str] | None = None) -> dict:
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **(environment or {})})
    if done.returncode != 0:
        sys.exit(f"{command[0]}: exit {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)
