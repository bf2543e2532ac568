"""``make setup`` and Debian's packages, on a machine made of scripts; and what displays cost in memory."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "hardware" / "debian-packages.sh"
#: What the script needs of the system itself.
TOOLS = ("cut", "tr", "ls")


class Machine:
    """A folder of programs as the only PATH; ``installed`` are the package's commands that exist."""

    def __init__(self, folder: Path, *installed: str, root: bool = True, sudo: bool = False) -> None:
        self.folder = folder
        self.log = folder / "log"
        for tool in TOOLS:
            (folder / tool).symlink_to(f"/bin/{tool}" if Path(f"/bin/{tool}").exists() else f"/usr/bin/{tool}")
        self.program("id", "echo 0" if root else "echo 1000")
        self.program("sudo", '[ "$1" = -n ] && shift\nexec "$@"' if sudo else "exit 1")
        (folder / "env").symlink_to("/usr/bin/env")
        (folder / "true").symlink_to("/bin/true")
        self.program("python3", "exit 0")
        for command in ("systemd-analyze", "ssh-keygen", *installed):
            self.program(command, "exit 0")

    def program(self, name: str, body: str) -> None:
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        path.chmod(0o755)

    def apt(self, *, works: bool = True) -> None:
        """apt-get that notes its arguments, and brings the commands of what it installs where it ``works``."""
        bring = "\n".join(
            f'case " $* " in *" {package} "*) printf "#!/bin/sh\\n" > {self.folder}/{command}; '
            f"/bin/chmod +x {self.folder}/{command};; esac"
            for package, command in (
                ("espeak-ng", "espeak-ng"),
                ("alsa-utils", "aplay"),
                ("chromium-headless-shell", "chromium-headless-shell"),
            )
        )
        self.program("apt-get", f'echo "$@" >> {self.log}\n{bring if works else "exit 100"}')

    def run(self) -> str:
        done = subprocess.run(
            ["/bin/sh", str(SCRIPT)], env={"PATH": str(self.folder)}, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def asked(self) -> list[str]:
        return self.log.read_text(encoding="utf-8").splitlines() if self.log.exists() else []


def test_nothing_is_said_or_done_where_nothing_is_missing(tmp_path: Path) -> None:
    machine = Machine(tmp_path, "espeak-ng", "aplay", "chromium-headless-shell")
    machine.apt()
    assert machine.run() == ""
    assert machine.asked() == []


def test_what_is_missing_is_installed_as_root_after_an_update(tmp_path: Path) -> None:
    machine = Machine(tmp_path, "chromium-headless-shell")
    machine.apt()
    assert machine.run() == "Installing Debian packages: espeak-ng alsa-utils \n"
    update, install = machine.asked()
    assert update.endswith("update")
    assert install.endswith("install -y --no-install-recommends espeak-ng alsa-utils")


def test_sudo_without_a_password_will_do(tmp_path: Path) -> None:
    machine = Machine(tmp_path, "chromium-headless-shell", "aplay", root=False, sudo=True)
    machine.apt()
    assert machine.run() == "Installing Debian packages: espeak-ng \n"
    assert len(machine.asked()) == 2


def test_without_the_right_to_install_it_is_said_what_will_not_work(tmp_path: Path) -> None:
    machine = Machine(tmp_path, "chromium-headless-shell", "aplay", root=False)
    machine.apt()
    said = machine.run()
    assert machine.asked() == []
    assert re.search(r"espeak-ng +spoken texts that have no recorded prompt", said)
    assert "sudo apt-get install --no-install-recommends espeak-ng" in said
    assert "alsa-utils" not in said


def test_an_installation_that_fails_tries_each_package_and_says_what_is_left(tmp_path: Path) -> None:
    machine = Machine(tmp_path, "chromium-headless-shell")
    machine.apt(works=False)
    said = machine.run()
    assert [line.split("recommends ")[1] for line in machine.asked()[1:]] == [
        "espeak-ng alsa-utils",
        "espeak-ng",
        "alsa-utils",
    ]
    assert "what does not work without them" in said


def test_a_system_without_apt_is_told_what_is_missing(tmp_path: Path) -> None:
    assert "chromium-headless-shell" in Machine(tmp_path, "aplay", "espeak-ng").run()


def test_a_python_without_ensurepip_needs_its_package(tmp_path: Path) -> None:
    machine = Machine(tmp_path, "espeak-ng", "aplay", "chromium-headless-shell")
    machine.program("python3", "exit 1")
    assert re.search(r"python3-venv +make setup cannot create \.venv", machine.run())


# --- what the displays cost


def measured(code: str) -> int:
    """Resident memory in KB that ``code`` adds to a Python that has loaded the parts which every table has."""
    before = "import tablectl.game.fold, tablectl.documents, tablectl.base.faults, tablectl.rules.registry as r\n"
    before += "r.load('competition')\n"
    rss = "int(open('/proc/self/statm').read().split()[1]) * (__import__('resource').getpagesize() // 1024)"
    script = f"{before}a = {rss}\n{code}\nprint({rss} - a)"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment)
    return int(done.stdout)


def test_displays_with_fonts_and_pictures_take_less_than_14_mb() -> None:
    grown = measured(
        "from tablectl.announce.worker import *; from tablectl.announce.texts import load_texts\n"
        "from tablectl.announce.samples import KINDS, sample\n"
        "texts = load_texts('zh'); fonts = Fonts()\n"
        "for _ in range(3):\n"
        "    for kind in KINDS: render(sample(kind, texts), fonts=fonts)\n"
    )
    assert grown < 14 * 1024
