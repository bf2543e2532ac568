#!/bin/sh
# Installs a table for good: sh systemd/install.sh install | uninstall | rollback   (as root: sudo make install)
#
#   /opt/tablectl/<release>   the program with its own Python environment; `current` points to the one in force
#   /etc/tablectl             configuration: what is there already is never written over
#   /var/lib/tablectl         records: never touched
#   /usr/local/lib/…          units, user, folders;  /etc/udev/rules.d  names of the devices
#
# DESTDIR=folder  stages everything there and starts nothing (for building an image)
# MODEL=name      the table model of a new configuration (a folder of hardware/)
# WHEELS=folder   packages from this folder instead of the network: pip download -r requirements.lock -d folder
set -eu

PYTHON=${PYTHON:-python3}
MODEL=${MODEL:-reference-4port}
DESTDIR=${DESTDIR:-}
source=$(cd "$(dirname "$0")/.." && pwd)
opt=$DESTDIR/opt/tablectl
etc=$DESTDIR/etc/tablectl
lib=$DESTDIR/usr/local/lib
units="tablectl.service tablectl-web.service"
timers="tablectl-report.timer tablectl-backup.timer"

fail() {
    echo "install: $*" >&2
    exit 1
}

look_first() {
    [ -n "$DESTDIR" ] || [ "$(id -u)" = 0 ] || fail "this writes to /opt and /etc: run it as root (sudo make install)"
    "$PYTHON" -c 'import sys, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
        fail "$PYTHON must be Python 3.11 or newer with venv: sudo apt-get install python3 python3-venv"
    case $DESTDIR$(readlink -f "$(command -v "$PYTHON")") in
    /root/* | /home/*) fail "$PYTHON lives in a home folder, which the services cannot see; take PYTHON=/usr/bin/python3" ;;
    esac
    [ -d "$source/hardware/$MODEL" ] ||
        fail "MODEL=$MODEL: no such table model; there are: $(cd "$source/hardware" && for f in */machine.yaml; do dirname "$f"; done | tr '\n' ' ')"
}

# --- the program

# A release with an environment of its own; the one in force stays as it is until this one is complete.
build() {
    version=$(sed -n 's/^__version__ = "\(.*\)"/\1/p' "$source/tablectl/__init__.py")
    number=1
    while [ -e "$opt/$version-$number" ]; do number=$((number + 1)); done
    name=$version-$number
    release=$opt/$name
    mkdir -p "$opt"
    trap 'rm -rf "$release"' EXIT
    "$PYTHON" -m venv "$release"
    chmod 755 "$opt" "$release"
    mkdir "$release/src"
    for part in tablectl config hardware docs systemd requirements.lock README.md README.zh.md CHANGELOG.md; do
        cp -R "$source/$part" "$release/src/"
    done
    find "$release/src" -name __pycache__ -prune -exec rm -rf {} +
    # shellcheck disable=SC2086
    "$release/bin/python" -m pip install --quiet --no-input --disable-pip-version-check --require-hashes \
        ${WHEELS:+--no-index --find-links "$WHEELS"} -r "$source/requirements.lock"
    packages=$("$release/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
    echo ../../../src >"$packages/tablectl.pth"
    cat >"$release/bin/tablectl" <<'SCRIPT'
#!/bin/sh
# lgpio makes its pipe at import: here, not in whatever folder the caller stands in.
[ -n "${LG_WD:-}" ] || [ ! -w /run/tablectl ] || export LG_WD=/run/tablectl
exec "$(dirname "$(readlink -f "$0")")/python" -sP -m tablectl "$@"
SCRIPT
    chmod 755 "$release/bin/tablectl"
    "$release/bin/python" -m compileall -q "$release/src/tablectl"
}

# The site's configuration, as the new release reads it. One that it cannot read leaves everything as it was.
reads_configuration() {
    trial=$etc/.trial.yaml
    sed "s#/opt/tablectl/current/#$release/#" "$etc/table.yaml" >"$trial"
    if ! "$release/bin/tablectl" check "$trial" >"$trial.said" 2>&1; then
        sed "s#$trial#/etc/tablectl/table.yaml#; s#$release/#/opt/tablectl/current/#" "$trial.said" >&2
        rm -f "$trial" "$trial.said"
        [ ! -e "$opt/current" ] || next="; $(readlink "$opt/current") stays in force"
        fail "$name cannot read the configuration in /etc/tablectl (above)${next:-}. Mend it, or bring it up to date: $source/.venv/bin/tablectl config migrate /etc/tablectl/table.yaml"
    fi
    rm -f "$trial" "$trial.said"
}

switch() {
    if [ -e "$opt/current" ]; then
        ln -sfn "$(readlink "$opt/current")" "$opt/previous"
    fi
    ln -sfn "$name" "$opt/current.new"
    mv -T "$opt/current.new" "$opt/current"
    trap - EXIT
    for old in "$opt"/*/; do # the one before stays, for a way back
        old=$(basename "$old")
        case $old in
        current | previous | "$name" | "$(readlink "$opt/previous" 2>/dev/null || true)") ;;
        *) rm -rf "${opt:?}/$old" ;;
        esac
    done
}

# --- what stands around it

configuration() {
    mkdir -p "$etc/rules" "$etc/credentials"
    chmod 750 "$etc"
    chmod 700 "$etc/credentials"
    if [ ! -e "$etc/table.yaml" ]; then
        sed "s#^machine: .*#machine: /opt/tablectl/current/src/hardware/$MODEL#" "$source/config/table.yaml" >"$etc/table.yaml"
        # A display where the model has something else on the header stays out.
        grep -q '^  24: display' "$source/hardware/$MODEL/wiring.yaml" ||
            sed -i '/^  - name: rail$/,/^$/{/^$/!d}' "$etc/table.yaml"
        chmod 640 "$etc/table.yaml"
        echo "new: /etc/tablectl/table.yaml (table model $MODEL)"
    else
        echo "kept: /etc/tablectl/table.yaml; the sample of this version: /opt/tablectl/current/src/config/table.yaml"
    fi
    for file in "$source"/config/rules/*.yaml; do
        [ -e "$etc/rules/$(basename "$file")" ] || cp "$file" "$etc/rules/"
    done
}

system_files() {
    mkdir -p "$lib/systemd/system" "$lib/sysusers.d" "$lib/tmpfiles.d" "$DESTDIR/etc/udev/rules.d" "$DESTDIR/usr/local/bin"
    for file in "$source"/systemd/*.service "$source"/systemd/*.timer; do
        install -m 644 "$file" "$lib/systemd/system/"
    done
    install -m 644 "$source/systemd/sysusers.conf" "$lib/sysusers.d/tablectl.conf"
    install -m 644 "$source/systemd/tmpfiles.conf" "$lib/tmpfiles.d/tablectl.conf"
    # The model that the site has chosen names the devices.
    model=$(sed -n 's#^machine: *["'\'']\{0,1\}\([^"'\'' ]*\).*#\1#p' "$etc/table.yaml")
    case $model in
    /opt/tablectl/current/*) rules=$release/${model#/opt/tablectl/current/}/99-tablectl.rules ;;
    /*) rules=$model/99-tablectl.rules ;;
    *) rules=$etc/$model/99-tablectl.rules ;;
    esac
    if [ -e "$rules" ]; then
        install -m 644 "$rules" "$DESTDIR/etc/udev/rules.d/99-tablectl.rules"
    else
        echo "no $rules: devices get no names of their own" >&2
    fi
    ln -sfn /opt/tablectl/current/bin/tablectl "$DESTDIR/usr/local/bin/tablectl"
}

word() {
    [ -s "$etc/credentials/$1.token" ] ||
        "$PYTHON" -c 'import secrets; print(secrets.token_urlsafe(12))' >"$etc/credentials/$1.token"
}

bring_up() {
    systemd-sysusers tablectl.conf
    systemd-tmpfiles --create tablectl.conf
    word referee
    word operator
    udevadm control --reload && udevadm trigger || echo "udev does not answer: restart once" >&2
    [ -z "${SUDO_USER:-}" ] || usermod -aG tablectl "$SUDO_USER" # asks and commands the table; log in again
    systemctl daemon-reload
    # shellcheck disable=SC2086
    systemctl enable --quiet $units
    # shellcheck disable=SC2086
    systemctl enable --quiet --now $timers
    if systemctl --quiet is-active tablectl.service; then
        echo "A table is running with the version before. Between two matches: sudo systemctl restart tablectl tablectl-web"
    else
        echo "Look first: sudo -u tablectl tablectl doctor      then start: sudo systemctl start tablectl tablectl-web"
    fi
    echo "The referee's word for the page: sudo cat /etc/tablectl/credentials/referee.token"
}

# --- what can be asked for

case ${1:-} in
install)
    look_first
    build
    configuration
    reads_configuration
    switch
    system_files
    echo "tablectl $version is in $opt/$name"
    [ -n "$DESTDIR" ] || bring_up
    ;;
rollback)
    [ -e "$opt/previous" ] || fail "there is no version before this one in $opt"
    name=$(readlink "$opt/previous")
    release=$opt/$name
    reads_configuration
    switch
    echo "in force: $name. Between two matches: sudo systemctl restart tablectl tablectl-web"
    ;;
uninstall)
    [ -n "$DESTDIR" ] || [ "$(id -u)" = 0 ] || fail "run it as root (sudo make uninstall)"
    if [ -z "$DESTDIR" ]; then
        # shellcheck disable=SC2086
        systemctl disable --quiet --now $units $timers 2>/dev/null || true
    fi
    for file in "$source"/systemd/*.service "$source"/systemd/*.timer; do
        rm -f "$lib/systemd/system/$(basename "$file")"
    done
    rm -f "$lib/sysusers.d/tablectl.conf" "$lib/tmpfiles.d/tablectl.conf" "$DESTDIR/etc/udev/rules.d/99-tablectl.rules"
    rm -f "$DESTDIR/usr/local/bin/tablectl"
    rm -rf "$opt"
    [ -n "$DESTDIR" ] || systemctl daemon-reload
    echo "tablectl is gone. Kept: configuration in /etc/tablectl, records in /var/lib/tablectl, the user tablectl"
    ;;
*)
    fail "expected install, uninstall or rollback"
    ;;
esac
