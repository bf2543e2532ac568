"""``tablectl users``: accounts of the page, for the owner."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from tablectl.cli import app

ROOT = Path(__file__).parents[2]


def configuration(folder: Path, accounts: str) -> Path:
    text = (ROOT / "config" / "sim.yaml").read_text(encoding="utf-8").replace("../hardware", str(ROOT / "hardware"))
    file = folder / "table.yaml"
    file.write_text(text.replace("  port: 8080\n", f"  port: 8080\n{accounts}"), encoding="utf-8")
    return file


def test_accounts_are_kept_beside_the_configuration(tmp_path: Path) -> None:
    config = configuration(tmp_path, "  accounts: accounts.sqlite\n")
    runner = CliRunner()

    def users(*words: str, password: str = "") -> tuple[int, str]:
        given = ["--password-file", "-"] if password else []
        done = runner.invoke(app, ["users", *words, *given, "--config", str(config)], input=password)
        return done.exit_code, done.output

    assert users("add", "Wu Li", "--role", "referee", password="correct horse\n") == (0, "Wu Li: referee\n")
    assert (tmp_path / "accounts.sqlite").is_file()
    code, said = users("add", "Wu Li", "--role", "referee", password="correct horse\n")
    assert (code, "already" in said) == (1, True)
    code, said = users("add", "Qin", "--role", "player", password="short\n")
    assert (code, "8 to 200 characters" in said) == (1, True)
    code, said = users("add", "Qin", "--role", "king", password="correct horse\n")
    assert (code, "player" in said) == (2, True)
    (line,) = json.loads(users("list", "--json")[1])
    assert (line["name"], line["role"], line["locked"]) == ("Wu Li", "referee", False)
    assert "Wu Li" in users("list")[1]
    assert users("passwd", "Wu Li", password="battery staple\n") == (0, "Wu Li: changed\n")
    assert users("unlock", "Wu Li") == (0, "Wu Li: unlocked\n")
    assert users("remove", "Wu Li") == (0, "Wu Li: removed\n")
    assert users("remove", "Wu Li")[0] == 1


def test_a_table_without_accounts_says_where_to_put_them(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["users", "list", "--config", str(configuration(tmp_path, ""))])
    assert done.exit_code == 2
    assert "web.accounts" in done.output
