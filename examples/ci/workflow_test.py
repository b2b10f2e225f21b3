"""Runs the commands of workflow.yml, as the jobs would, in an empty folder.

    workflow_test.py DOUBLEHOLD"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent


def commands(text: str) -> dict[str, str]:
    """Returns the shell text of each named step."""
    found = {}
    for step in re.split(r"\n      - ", text)[1:]:
        name = re.match(r"name: (.+)\n", step)
        shell = re.search(r"\n        run: \|\n((?:          .*\n)+)", step + "\n")
        if name and shell:
            found[name[1]] = "\n".join(line[10:] for line in shell[1].splitlines())
    return found


def main(doublehold: str) -> None:
    steps = commands((HERE / "workflow.yml").read_text())
    assert list(steps) == ["run a part", "merge and judge", "write the report",
                           "keep the baseline"], list(steps)
    with tempfile.TemporaryDirectory() as folder:
        bin_folder = Path(folder) / "bin"
        bin_folder.mkdir()
        (bin_folder / "doublehold").symlink_to(Path(doublehold).resolve())
        environment = os.environ | {"PATH": f"{bin_folder}:{os.environ['PATH']}",
                                    "SUITE": str(HERE / "locks.toml")}

        def run(step: str, **values: str) -> int:
            shell = steps[step]
            for key, value in values.items():
                shell = shell.replace("${{ matrix.%s }}" % key, value)
            assert "${{" not in shell, shell
            return subprocess.run(["bash", "-ec", shell], cwd=folder, env=environment).returncode

        for _ in ("the first commit", "the next commit"):
            for part in ("1", "2"):
                assert run("run a part", part=part) == 0
            assert run("merge and judge") == 0, "the same locks are not worse"
            assert run("keep the baseline") == 0
            assert (Path(folder) / "baseline/suite.json").is_file()
            for used in ("part-1", "part-2"):
                subprocess.run(["rm", "-rf", used], cwd=folder, check=True)
        assert (Path(folder) / "locks.xml").is_file()


if __name__ == "__main__":
    main(sys.argv[1])
