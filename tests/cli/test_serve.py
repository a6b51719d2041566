import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx

COMMAND = [sys.executable, "-c", "from scratchwork.cli.main import main; main()", "serve"]


def refused(*arguments: str) -> str:
    run = subprocess.run([*COMMAND, *arguments], capture_output=True, text=True)
    assert run.returncode == 2
    return run.stderr


def test_the_page_is_served_until_the_server_is_told_to_stop() -> None:
    server = subprocess.Popen([*COMMAND, "--port", "0"], stderr=subprocess.PIPE, text=True)
    assert server.stderr is not None
    try:
        found = re.search(r"http://127\.0\.0\.1:\d+/", server.stderr.readline())
        assert found
        assert "Scratchwork" in httpx.get(found[0]).text
        server.send_signal(signal.SIGTERM)
        assert server.wait(60) in (0, -signal.SIGTERM)
    finally:
        server.kill()
        server.wait()
        server.stderr.close()


def test_what_is_wrong_is_told_before_anything_is_served(tmp_path: Path) -> None:
    missing = str(tmp_path / "missing")
    assert "there is no such model folder" in refused("--model", missing)
    assert "--token is empty" in refused("--token", " ")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        sentence = refused("--port", port)
    assert sentence == f"scratchwork: port {port} of 127.0.0.1 cannot be listened on: " + (
        "address already in use\n"
    )
