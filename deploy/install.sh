#!/bin/sh
# Installs this checkout as a systemd service on Debian or Ubuntu, updates it, or goes back to the version before:
#   deploy/install.sh             installs, or updates: the version before goes on if the new one does not get ready
#   deploy/install.sh rollback    switches to the version before, with the database as it was before the update
#
# Needs root, python3-venv, and curl. Each version has a folder in /opt/document-service-versions, with its packages;
# /opt/document-service is a link to the one that runs. Data: /var/lib/document-service. Before each update and rollback a
# backup is written to /var/backups/document-service.
set -eu
umask 022
SERVICE=document-service
CURRENT=/opt/$SERVICE
VERSIONS=/opt/$SERVICE-versions
BACKUPS=/var/backups/$SERVICE
DATA=/var/lib/$SERVICE
SETTINGS=/etc/$SERVICE/environment # DOCSERVICE_… lines for service, commands and timers
URL="${URL:-http://127.0.0.1:8000}" # where the service listens

flask() { # a command of the version that is the current one
  (cd "$CURRENT" && FLASK_APP=app DOCSERVICE_ENVIRONMENT_FILE=$SETTINGS DOCSERVICE_INSTANCE_PATH=$DATA .venv/bin/flask "$@")
}

make_settings() { # makes the user of the service, unless it is there, and the file of settings that this user may read
  # A user that systemd has made for the time of a running service is none that files can belong to.
  if ! grep -q "^$SERVICE:" /etc/passwd; then
    SYSTEMD_NSS_DYNAMIC_BYPASS=1 useradd --system --user-group --no-create-home --home-dir / --shell /usr/sbin/nologin $SERVICE
  fi
  [ ! -e "$SETTINGS" ] || return 0
  mkdir -p -m 0755 "$(dirname "$SETTINGS")"
  {
    echo "# Settings of the Document Service: docs/operating.md has them all. After a change: systemctl restart $SERVICE"
    echo "#DOCSERVICE_BASE_URL=https://docs.example.org"
    echo "#DOCSERVICE_TRUSTED_PROXY=127.0.0.1"
    echo "#DOCSERVICE_REGISTRATION=first"
  } >"$SETTINGS.new"
  chown root:$SERVICE "$SETTINGS.new"
  chmod 0640 "$SETTINGS.new"
  mv "$SETTINGS.new" "$SETTINGS"
}

back_up() { # writes a backup named after the version that has the database now
  [ -e "$DATA/documents.sqlite" ] || return 0
  mkdir -p -m 0700 "$BACKUPS"
  backup="$BACKUPS/$(basename "$(readlink "$CURRENT")")-$(date -u +%Y%m%dT%H%M%SZ).sqlite"
  flask backup "$backup"
}

start() { # starts the current version; fails if it is not ready within a minute
  systemctl daemon-reload
  systemctl enable --quiet $SERVICE
  systemctl restart $SERVICE
  seconds=0
  until curl -sf -o /dev/null "$URL/readyz"; do
    [ $seconds -lt 60 ] || return 1
    systemctl is-failed --quiet $SERVICE && return 1
    sleep 1
    seconds=$((seconds + 1))
  done
}

switch_to() { # makes a version the current one, and its unit that of systemd
  ln -sfn "$1" "$CURRENT"
  install -m 0644 "$1/deploy/$SERVICE.service" /etc/systemd/system/$SERVICE.service
}

restore() { # puts the newest backup of the current version back
  backup="$(ls -t "$BACKUPS/$(basename "$(readlink "$CURRENT")")"-*.sqlite | head -n 1)"
  flask restore "$backup" --force
}

install_version() {
  cd "$(dirname "$0")/.."
  version="$VERSIONS/$(date -u +%Y%m%dT%H%M%SZ)"
  mkdir -p "$version"
  tar c --exclude=./.git --exclude=./.venv --exclude=./instance --exclude=__pycache__ . | tar x --no-same-owner -C "$version"
  python3 -m venv "$version/.venv"
  "$version/.venv/bin/pip" install -q --require-hashes -r "$version/requirements.lock"
  "$version/.venv/bin/python" -m compileall -q "$version" -x '/\.venv/' || true
  make_settings

  former=""
  [ ! -L "$CURRENT" ] || former="$(readlink "$CURRENT")"
  if [ -e "$CURRENT" ] && [ -z "$former" ]; then
    echo "$CURRENT is there, and not by this script. Move it away, and its unit with it." >&2
    exit 1
  fi
  if [ -n "$former" ]; then
    systemctl stop $SERVICE
    back_up
    ln -sfn "$former" "$version/former"
  fi
  switch_to "$version"
  if start; then
    echo "$version serves $URL."
  elif [ -n "$former" ]; then
    go_back
    echo "The new version did not get ready: journalctl -u $SERVICE. $former goes on." >&2
    exit 1
  else
    echo "It did not get ready: journalctl -u $SERVICE." >&2
    exit 1
  fi
}

go_back() { # to the version before the current one, and its database
  former="$(readlink "$CURRENT/former")"
  systemctl stop $SERVICE
  switch_to "$former"
  restore
  start
}

case "${1:-install}" in
  install) install_version ;;
  rollback)
    [ -L "$CURRENT/former" ] || { echo "There is no version before this one." >&2 && exit 1; }
    systemctl stop $SERVICE
    back_up
    newer="$backup"
    go_back
    echo "$(readlink "$CURRENT") serves $URL, with the database of before the update. What came since is in $newer."
    ;;
  *) sed -n 's/^# \{0,1\}//p' "$0" | head -n 8 >&2 && exit 2 ;;
esac
