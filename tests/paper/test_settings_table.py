import subprocess
import sys
from dataclasses import fields
from pathlib import Path

from scratchwork.paper.config import TrainingConfig
from scratchwork.solver.config import TrainingSettings

ROOT = Path(__file__).parent.parent.parent
SCRIPT = ROOT / "scripts" / "write_settings_table.py"


def test_the_pages_list_every_setting_as_the_code_documents_it() -> None:
    run = subprocess.run([sys.executable, str(SCRIPT), "--check"])
    assert run.returncode == 0, "run python scripts/write_settings_table.py"
    for name, settings in (("training.md", TrainingConfig), ("solver.md", TrainingSettings)):
        page = (ROOT / "docs" / name).read_text("utf-8")
        for field in fields(settings):
            assert page.count(f"\n| `{field.name}` | ") == 1
