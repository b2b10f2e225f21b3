"""A measured figure with its limit, and how the programs that measure are run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
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
    def met(self) -> bool:
        middle = median(self.values)
        if self.limit is None:
            return True
        return middle >= self.limit if self.at_least else middle <= self.limit

    def line(self) -> str:
        sign = ">=" if self.at_least else "<="
        limit = "" if self.limit is None else f"  limit {sign} {self.limit:g} {self.unit}"
        spread = f"{min(self.values):.4g} to {max(self.values):.4g}"
        return (
            f"{'ok    ' if self.met else 'MISSED'} {self.name:<46} {median(self.values):8.4g} {self.unit:<6}"
            f" ({spread}, n={len(self.values)}){limit}  {self.beside}"
        )


def run_json(command: list[str], environment: dict[str, str] | None = None) -> dict:
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **(environment or {})})
    if done.returncode != 0:
        sys.exit(f"{command[0]}: exit {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)
