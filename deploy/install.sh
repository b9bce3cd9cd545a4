#!/bin/sh
# Installs this checkout as a systemd service on Debian or Ubuntu, updates it, or goes back to the version before:
#   deploy/install.sh             installs, or updates: the version before goes on if the new one does not get ready
#   deploy/install.sh rollback    switches to the version before, with the database as it was before the update
# Options:
#   --keep N        after that, delete all versions but the newest N, and all backups of this script but the newest N
#   --no-backup     the database is elsewhere, and you have made a backup of it yourself (PostgreSQL: pg_dump -Fc)
#
# Needs root, python3-venv, and curl. Each version has a folder in /opt/document-service-versions, with its packages;
# /opt/document-service is a link to the one that runs. Data: /var/lib/document-service. Before each update and rollback a
# backup is written to /var/backups/document-service, while the service runs. Whatever fails or interrupts this script, the version that ran before
# it is started again.
set -eu
umask 022
SERVICE=document-service
CURRENT=/opt/$SERVICE
VERSIONS=/opt/$SERVICE-versions
BACKUPS=/var/backups/$SERVICE
DATA=/var/lib/$SERVICE
SETTINGS=/etc/$SERVICE/environment # DOCSERVICE_… lines for service, commands and timers
URL="${URL:-http://127.0.0.1:8000}" # where the service listens
READY_SECONDS="${READY_SECONDS:-60}" # how long a version may take to get ready
MOST_RESTARTS=3 # a version that ended so often since its start is given up

unfinished="" # the folder of a version that is not installed yet
to_resume=""  # the version that is started again if the script ends now
its_backup="" # of the database as that version had it

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

say() { # a line on stderr; nobody may be there any more to read it
  echo "$*" >&2 || true
}

run_command() { # FOLDER COMMAND…: a command of the version in this folder
  folder="$1"
  shift
  # Where the unit has the keyring as a credential, a shell reads it from the same place.
  keyring="${DOCSERVICE_KEYRING_FILE:-$(systemctl cat $SERVICE 2>/dev/null | sed -n 's/^LoadCredential=keyring:\//\//p' | tail -n 1)}"
  (
    cd "$folder"
    [ -z "$keyring" ] || export DOCSERVICE_KEYRING_FILE="$keyring"
    export DOCSERVICE_ENVIRONMENT_FILE=$SETTINGS DOCSERVICE_INSTANCE_PATH=$DATA
    if [ -x .venv/bin/document-service ]; then
      .venv/bin/document-service "$@"
    else # version 1.0.1 or older
      FLASK_APP=app .venv/bin/flask "$@"
    fi
  )
}

make_command() { # FOLDER: the command of the version in this folder, of which pip has installed only what it needs
  cat >"$1/.venv/bin/document-service" <<END
#!$1/.venv/bin/python
import sys
sys.path.insert(0, "$1")
from document_service.__main__ import main
main(prog_name="document-service")
END
  chmod 0755 "$1/.venv/bin/document-service"
}

back_up() { # VERSION: writes a backup, named after this version, which has the database now; its path is then in $backup
  backup=""
  [ "$takes_backup" = yes ] || return 0
  mkdir -p -m 0700 "$BACKUPS" || return 1
  backup="$BACKUPS/$(basename "$1")-$(date -u +%Y%m%dT%H%M%SZ).sqlite"
  run_command "$tools" backup "$backup" || { backup="" && return 1; }
}

start() { # starts the current version; fails if it does not get ready
  systemctl daemon-reload
  systemctl enable --quiet $SERVICE
  systemctl restart $SERVICE || return 1
  former_restarts="$(restarts)"
  seconds=0
  until curl -sf -o /dev/null --max-time 10 "$URL/readyz"; do
    [ $seconds -lt "$READY_SECONDS" ] || return 1
    systemctl is-failed --quiet $SERVICE && return 1
    [ $(($(restarts) - former_restarts)) -lt $MOST_RESTARTS ] || return 1
    sleep 1
    seconds=$((seconds + 1))
  done
}

restarts() { # how often systemd has started the service again
  number="$(systemctl show --property NRestarts --value $SERVICE 2>/dev/null || true)"
  echo "${number:-0}"
}

switch_to() { # makes a version the current one, and its unit that of systemd
  ln -sfn "$1" "$CURRENT"
  install -m 0644 "$1/deploy/$SERVICE.service" /etc/systemd/system/$SERVICE.service
}

resume() { # starts the version of before, with the database as it is, or where that does not do, with its backup
  systemctl stop $SERVICE || true
  switch_to "$to_resume"
  if start; then
    say "$to_resume goes on, with the database as it is."
    return 0
  fi
  if [ -z "$its_backup" ]; then
    say "$to_resume does not get ready: journalctl -u $SERVICE. There is no backup to restore: restore yours, then start it."
    return 1
  fi
  systemctl stop $SERVICE || true
  back_up "${unfinished:-$to_resume}" || say "The database as it is was not backed up."
  [ -z "$backup" ] || say "The database as it is: $backup"
  if run_command "$CURRENT" restore "$its_backup" --force && start; then
    say "$to_resume goes on, with the database of $its_backup."
    return 0
  fi
  systemctl start $SERVICE || true
  say "$to_resume does not get ready: journalctl -u $SERVICE. Its database is in $its_backup."
  return 1
}

at_end() { # whatever ends the script
  status=$?
  trap '' HUP INT TERM PIPE
  trap - EXIT
  set +e
  [ -z "$to_resume" ] || resume
  [ -z "$unfinished" ] || [ "$(readlink "$CURRENT")" = "$unfinished" ] || rm -rf "$unfinished"
  exit "$status"
}

refuse() { # says why, and that nothing has changed
  say "$1"
  say "Nothing was changed: the service runs as before."
  exit 1
}

install_version() {
  cd "$(dirname "$0")/.."
  former=""
  [ ! -L "$CURRENT" ] || former="$(readlink "$CURRENT")"
  if [ -e "$CURRENT" ] && [ -z "$former" ]; then
    refuse "$CURRENT is there, and not by this script. Move it away, and its unit with it."
  fi
  version="$VERSIONS/$(date -u +%Y%m%dT%H%M%SZ)"
  while [ -e "$version" ]; do # two of them within a second
    sleep 1
    version="$VERSIONS/$(date -u +%Y%m%dT%H%M%SZ)"
  done
  unfinished="$version"
  mkdir -p "$version"
  tar c --exclude=./.git --exclude=./.venv --exclude=./instance --exclude=__pycache__ . | tar x --no-same-owner -C "$version"
  python3 -m venv "$version/.venv"
  "$version/.venv/bin/pip" install -q --require-hashes -r "$version/requirements.lock"
  make_command "$version"
  "$version/.venv/bin/python" -m compileall -q "$version" -x '/\.venv/' || true
  make_settings

  if [ -n "$former" ]; then
    tools="$version" # its backup needs no keyring; that of version 1.0.0 does
    (cd "$version" && timeout 20 .venv/bin/python -c "import app") >/dev/null 2>&1 || tools="$former"
    back_up "$former" || refuse "There is no backup. Where the database is elsewhere, back it up yourself, and add --no-backup."
    ln -sfn "$former" "$version/former"
    echo "$backup" >"$version/backup"
    to_resume="$former"
    its_backup="$backup"
    systemctl stop $SERVICE
  fi
  switch_to "$version"
  if ! start; then
    say "The new version did not get ready: journalctl -u $SERVICE."
    exit 1
  fi
  to_resume=""
  unfinished=""
  echo "$version serves $URL."
}

roll_back() {
  [ -L "$CURRENT/former" ] || refuse "There is no version before this one."
  newer="$(readlink "$CURRENT")"
  former="$(readlink "$CURRENT/former")"
  tools="$newer"
  [ -x "$former/.venv/bin/python" ] || refuse "The version before, $former, is not there any more."
  before=""
  if [ "$takes_backup" = yes ]; then
    before="$(backup_before_update)"
    [ -e "$before" ] || refuse "There is no backup of before the update. Restore yours, and add --no-backup."
    back_up "$newer" || refuse "There is no backup of the database as it is."
  fi
  to_resume="$newer"
  its_backup="$backup"
  systemctl stop $SERVICE
  if [ -n "$backup" ]; then # what came between that backup and the stop belongs to it, too
    run_command "$tools" backup "$backup.2"
    if [ -d "$backup.2.payloads" ]; then # the other part, of large documents: links to the same files
      mkdir -p -m 0700 "$backup.payloads"
      cp -alf "$backup.2.payloads/." "$backup.payloads/"
      rm -rf "$backup.2.payloads"
    fi
    mv "$backup.2" "$backup"
  fi
  switch_to "$former"
  [ -z "$before" ] || run_command "$CURRENT" restore "$before" --force
  if ! start; then
    say "The version before did not get ready: journalctl -u $SERVICE."
    exit 1
  fi
  to_resume=""
  if [ -n "$backup" ]; then
    echo "$former serves $URL, with the database of before the update. What came since is in $backup."
  else
    echo "$former serves $URL, with the database as it is."
  fi
}

backup_before_update() { # the path of the backup that the last update has made
  if [ -s "$CURRENT/backup" ]; then
    cat "$CURRENT/backup"
  else # an older version of this script did not note it
    ls -t "$BACKUPS/$(basename "$former")"-*.sqlite 2>/dev/null | head -n 1
  fi
}

prune() { # deletes the versions and backups that --keep does not keep
  if [ -z "$keep" ]; then
    echo "Former versions are in $VERSIONS, backups in $BACKUPS: --keep N deletes the older ones."
    return 0
  fi
  running="$(readlink "$CURRENT")"
  former="$(readlink "$CURRENT/former" || true)"
  [ "$keep" -gt 1 ] || former="" # it is not kept, so there is no way back
  kept=1
  [ ! -d "$former" ] || kept=2
  for one in $(ls -d "$VERSIONS"/*Z | sort -r); do
    if [ "$one" != "$running" ] && [ "$one" != "$former" ]; then
      if [ $kept -lt "$keep" ]; then
        kept=$((kept + 1))
      else
        rm -rf "$one"
      fi
    fi
  done
  ls -t "$BACKUPS"/*Z-*Z.sqlite 2>/dev/null | tail -n "+$((keep + 1))" | while read -r one; do rm -rf "$one" "$one.payloads"; done
}

usage() {
  sed -n '2,12s/^# \{0,1\}//p' "$0" >&2
  exit 2
}

action=install
keep=""
takes_backup=yes
backup=""
tools="$CURRENT"
while [ $# -gt 0 ]; do
  case "$1" in
    install | rollback) action="$1" ;;
    --no-backup) takes_backup=no ;;
    --keep)
      shift
      keep="${1:-}"
      case "$keep" in '' | *[!0-9]* | 0*) usage ;; esac
      ;;
    *) usage ;;
  esac
  shift
done

trap at_end EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 141' PIPE
trap 'exit 143' TERM
if [ "$action" = rollback ]; then roll_back; else install_version; fi
prune
