"""Builds the image on a Debian that is made from packages, and runs it. Uses buildah, which needs
no daemon. Needs root, mmdebstrap, buildah and packages of Debian; exits 77 without them.

    image_test.py BUILD_FOLDER"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SKIPPED = 77
RELEASE = "bookworm"


def main(build: Path) -> int:
    if os.geteuid() != 0 or not all(map(shutil.which, ("mmdebstrap", "buildah"))):
        print("not tested: needs root, mmdebstrap and buildah")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        def buildah(*words: str) -> str:
            storage = ("--root", f"{folder}/store", "--runroot", f"{folder}/run", "--storage-driver", "vfs")
            return subprocess.run(["buildah", *storage, *words], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()

        context = Path(folder) / "context"
        subprocess.run(["cpack", "-G", "DEB", "-B", context], cwd=build, check=True)
        sources = [path for path in (Path("/etc/apt/sources.list"), *Path("/etc/apt/sources.list.d").glob("*.sources"))
                   if path.is_file() and f" {RELEASE} " in path.read_text()]
        base = f"{folder}/base.tar"
        if subprocess.run(["mmdebstrap", "--mode=root", "--variant=minbase", "--quiet", RELEASE, base, *sources[:1]],
                          check=False).returncode != 0:
            print("not tested: no packages of Debian")
            return SKIPPED
        scratch = buildah("from", "scratch")
        buildah("add", scratch, base, "/")
        buildah("commit", scratch, "localhost/debian")
        # The packages come from where this machine has its own from.
        buildah("bud", "--isolation", "chroot", "--volume", "/etc/apt:/etc/apt:ro", "--file", str(HERE / "Dockerfile"),
                "--build-arg", "BASE=localhost/debian", "--build-arg", "LIBRARIES=python3-pip",
                "--tag", "localhost/doublehold", str(context))
        config = json.loads(buildah("inspect", "--type", "image", "localhost/doublehold"))["OCIv1"]["config"]
        assert config["Entrypoint"] == ["doublehold"] and config["User"] == "doublehold", config
        container = buildah("from", "localhost/doublehold")

        def run(*words: str) -> str:
            return buildah("run", "--isolation", "chroot", container, "--", *words)

        assert run("id", "--user") == "1000"
        print(run("doublehold", "run", "--lock", "redlock", "--duration", "3s"))
        run("doublehold", "report", "runs/run/latest")
        assert int(run("sh", "-c", "wc --bytes < runs/run/latest/report.html")) > 10_000
        run("touch", "/cache/writable")
        buildah("rm", "--all")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
