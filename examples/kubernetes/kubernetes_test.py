"""Validates the files against the published schemas, and runs the command of each pod as the
cluster would, with a folder for the volume. Exits 77 if the schemas cannot be installed (PyPI).

    kubernetes_test.py DOUBLEHOLD"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SKIPPED = 77
SCHEMAS = "kubernetes-validate==1.37.0"
VERSIONS = ("1.33", "1.37")  # backoffLimitPerIndex is stable since 1.33
PARTS = 8


def outcomes(folder: Path) -> dict[str, int]:
    suite = json.loads((folder / "suite.json").read_text())
    assert {cell["name"] for cell in suite["cells"]} == {cell["name"] for cell in suite["planned"]}
    return {cell["name"]: len(cell["runs"]) for cell in suite["cells"]}


def main(doublehold: str) -> int:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        installed = subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--target", folder / "packages",
                                    "--disable-pip-version-check", SCHEMAS], check=False)
        if installed.returncode != 0:
            print(f"not tested: {SCHEMAS} cannot be installed")
            return SKIPPED
        sys.path.insert(0, str(folder / "packages"))
        import kubernetes_validate
        import yaml

        documents = {document["metadata"]["name"]: document for name in ("parts", "merge")
                     for document in yaml.safe_load_all((HERE / f"{name}.yaml").read_text())}
        for version in VERSIONS:
            for document in documents.values():
                kubernetes_validate.validate(document, version, strict=True)

        (folder / "bin").mkdir()
        (folder / "bin" / "doublehold").symlink_to(Path(doublehold).resolve())
        (folder / "results").mkdir()

        def run(job: str, **more: str) -> int:
            pod = documents[job]["spec"]["template"]["spec"]["containers"][0]
            command = [word.replace("/results", f"{folder}/results") for word in pod["command"]]
            return subprocess.run(command, check=False, env=os.environ | more | {
                "PATH": f"{folder}/bin:{os.environ['PATH']}"}).returncode

        assert documents["doublehold-parts"]["spec"]["completions"] == PARTS
        for index in range(PARTS):
            assert run("doublehold-parts", JOB_COMPLETION_INDEX=str(index)) == 0
        assert run("doublehold-merge") in (0, 2), "unknown on a busy machine, but never violated"
        merged = outcomes(folder / "results" / "merged" / "npc" / "latest")
        assert set(merged.values()) == {1}, merged
        assert run("doublehold-parts", JOB_COMPLETION_INDEX=str(PARTS)) != 0, "there is no such part"
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
