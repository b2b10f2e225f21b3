"""Validates the files as docker-compose does. Runs each file's servers without containers, on ports
that are free, and the command that the file shows. Exits 77 without docker-compose (./setup.sh
--batch).

    docker_compose_test.py DOUBLEHOLD"""

import re
import shutil
import socket
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

HERE = Path(__file__).resolve().parent
SKIPPED = 77


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def shown_command(text: str) -> list[str]:
    comment = re.sub(r"\\\n#\s*", "", text.split("services:")[0])
    return re.search(r"doublehold (run [^`\n]*)", comment)[1].rstrip(".").split()


def main(doublehold: str) -> int:
    if shutil.which("docker-compose") is None:
        print("not tested: no docker-compose")
        return SKIPPED
    import yaml  # comes with docker-compose

    for file in sorted(HERE.glob("*.yaml")):
        read = subprocess.run(["docker-compose", "-f", file, "config"], capture_output=True, text=True, check=True)
        words = shown_command(file.read_text())
        with ExitStack() as running:
            folder = running.enter_context(tempfile.TemporaryDirectory())
            for service in yaml.safe_load(read.stdout)["services"].values():
                (published,) = re.findall(r"^127\.0\.0\.1:(\d+):6379/tcp$", "\n".join(service["ports"]))
                port = free_port()
                assert f"127.0.0.1:{published}" in words[-1], f"{file.name} does not use {published}"
                words[-1] = words[-1].replace(f"127.0.0.1:{published}", f"127.0.0.1:{port}")
                server = running.enter_context(subprocess.Popen(
                    [*service["command"], "--port", str(port), "--dir", folder], stdout=subprocess.DEVNULL))
                running.callback(server.kill)
                while not answers(port):
                    assert server.poll() is None, f"{file.name}: {service['command']} ended"
            done = subprocess.run([doublehold, *words, "--duration", "1s", "--into", f"{folder}/run"], check=False)
            assert done.returncode in (0, 2), "unknown on a busy machine, but never violated"
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
