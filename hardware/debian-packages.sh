#!/bin/sh
# What Debian (or Raspberry Pi OS) has to provide beside Python: says what is missing, installs it where that is allowed
# (root, or sudo without a password), and otherwise says what will not work without it. Always exits 0: a table without a
# Chinese font still runs, and says so on its display.

PYTHON=${PYTHON:-python3}

# package | how its presence is tested | what does not work without it
PACKAGES="
python3-venv     | $PYTHON -c 'import ensurepip'                      | make setup cannot create .venv
xfonts-wqy       | ls /usr/share/fonts/X11/misc/wenquanyi_9pt.pcf*    | Chinese text on the displays: 12 and 16 px bitmap font
fonts-unifont    | ls /usr/share/fonts/opentype/unifont/unifont.otf   | Chinese text on the displays, where xfonts-wqy is missing
fonts-wqy-zenhei | ls /usr/share/fonts/truetype/wqy/wqy-zenhei.ttc    | Chinese text in the pictures of the page
espeak-ng        | command -v espeak-ng                              | spoken texts that have no recorded prompt
alsa-utils       | command -v aplay                                  | recorded prompts
chromium-headless-shell | command -v chromium-headless-shell          | the browser tests of the page, where there is no chromium
systemd          | command -v systemd-analyze                        | the tests of the systemd units
openssh-client   | command -v ssh-keygen                             | signed exports of records
"

# Lines "package | reason" whose test fails.
missing() {
    echo "$PACKAGES" | while IFS= read -r line; do
        [ -n "$line" ] || continue
        test=${line#*|}
        (eval "${test%|*}") >/dev/null 2>&1 || echo "${line%% *} |${line##*|}"
    done
}

# How to become root, or nothing where that needs a password.
root_command() {
    if [ "$(id -u)" = 0 ]; then
        echo env
    elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        echo "sudo -n env"
    fi
}

install() {
    apt="$1 DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0"
    shift
    $apt update || echo "apt-get update failed: trying with the package lists as they are" >&2
    # One package that this release does not have must not keep the others away.
    $apt install -y --no-install-recommends "$@" >/dev/null || for package in "$@"; do
        $apt install -y --no-install-recommends "$package" >/dev/null
    done
}

lacking=$(missing)
[ -n "$lacking" ] || exit 0

root=$(root_command)
if command -v apt-get >/dev/null && [ -n "$root" ]; then
    names=$(echo "$lacking" | cut -d' ' -f1 | tr '\n' ' ')
    echo "Installing Debian packages: $names"
    # shellcheck disable=SC2086
    install "$root" $names
    lacking=$(missing)
fi

if [ -n "$lacking" ]; then
    echo "Missing Debian packages, and what does not work without them:"
    echo "$lacking" | while IFS='|' read -r package reason; do
        printf '  %-18s%s\n' "${package% }" "$reason"
    done
    echo "To install them: sudo apt-get install --no-install-recommends $(echo "$lacking" | cut -d' ' -f1 | tr '\n' ' ')"
fi
exit 0
