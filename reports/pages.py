"""Chooses the page for the inputs."""

from exploration import Exploration
from explore_page import exploration_page
from page import run_page
from parsing import BadInput
from reading import Run, Suite, Sweep
from suite_page import compare_page, suite_page, sweep_page


def render_page(inputs: list[Run | Suite | Sweep | Exploration],
                baseline: Run | Suite | Sweep | Exploration | None = None) -> str:
    """`baseline`: an earlier run of the suite that is the only input."""
    if baseline is not None:
        match inputs:
            case [Suite() as only] if isinstance(baseline, Suite):
                if only.name != baseline.name:
                    raise BadInput(f"--baseline: {baseline.folder} is of the suite "
                                   f"'{baseline.name}', not '{only.name}'")
                return suite_page(only, baseline)
        raise BadInput("--baseline: needs one suite folder, and the folder of an earlier run of it")
    comparable = [one for one in inputs if isinstance(one, (Run, Suite))]
    match inputs:
        case [Exploration() as only]:
            return exploration_page(only)
        case [Sweep() as only]:
            return sweep_page(only)
        case [Suite() as only]:
            return suite_page(only)
        case [Run() as only]:
            return run_page(only)
    for one in inputs:
        if isinstance(one, Exploration):
            raise BadInput(f"{one.folder}: an exploration has its own page: give this folder alone")
        if isinstance(one, Sweep):
            raise BadInput(f"{one.suite.folder}: a sweep has its own page: give this folder alone")
    return compare_page(comparable)
