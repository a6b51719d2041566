import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


def test_the_page_of_topics_is_what_the_bank_generates() -> None:
    script = ROOT / "scripts" / "write_topics_page.py"
    run = subprocess.run([sys.executable, str(script), "--check"])
    assert run.returncode == 0, "run python scripts/write_topics_page.py"
