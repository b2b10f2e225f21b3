"""Builds the image with Docker, on a Debian that is made from packages, and runs it.

    image_test.py BUILD_FOLDER"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from engine import SKIPPED, docker, engine, make_image, why_not  # noqa: E402


def main(build: Path) -> int:
    if why_not():
        print("not tested:", why_not())
        return SKIPPED
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        context = folder / "context"
        subprocess.run(["cpack", "-G", "DEB", "-B", context], cwd=build, check=True)
        with engine(folder):
            if not make_image("debian-of-packages", folder):
                print("not tested: no packages of Debian")
                return SKIPPED
            docker("build", "--network", "host", "--file", HERE / "Dockerfile", "--build-arg", "BASE=debian-of-packages",
                   "--build-arg", "LIBRARIES=python3-pip", "--tag", "doublehold", context)
            config = json.loads(docker("image", "inspect", "doublehold").stdout)[0]["Config"]
            assert config["Entrypoint"] == ["doublehold"] and config["User"] == "doublehold", config
            ran = docker("run", "--network", "none", "doublehold", "run", "--lock", "redlock", "--duration", "3s", check=False)
            print(ran.stdout)
            assert ran.returncode in (0, 2), "unknown on a busy machine, but never violated"
            inside = docker("run", "--network", "none", "--entrypoint", "sh", "doublehold", "-c",
                            "id --user; doublehold run --lock set-nx-px --duration 1s >&2; doublehold report runs/run/latest "
                            ">&2; wc --bytes < runs/run/latest/report.html; touch /cache/writable").stdout.split()
            assert "1000" in inside and int(inside[-1]) > 10_000, inside
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
