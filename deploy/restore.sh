#!/bin/sh
# Put a backup's SQL and pictures where none are: deploy/restore.sh /backup/2026-11-24T04-30-00Z
# From the environment: VAR_DIR, MEDIA_ROOT, DATABASE_URL (an empty database, or a file that isn't there), and what the site
# needs. What comes before and after is in docs/deployment.md.
set -eu
umask 077
: "${VAR_DIR:?}" "${1:?the folder of one backup}"
database=${DATABASE_URL:-sqlite:///$VAR_DIR/savor.sqlite3}
media=${MEDIA_ROOT:-$VAR_DIR/media}
if [ -n "$(ls -A "$media" 2>/dev/null)" ] || [ -e "${database#sqlite:///}" ]; then
    echo "There are data already: move $media and the database out of the way." >&2
    exit 1
fi

case $database in
sqlite:///*) cp "$1/savor.sqlite3" "${database#sqlite:///}" ;;
*) pg_restore --no-owner --single-transaction --exit-on-error --dbname "$database" "$1/savor.dump" ;;
esac
mkdir -p "$media"
tar -C "$media" -xf "$1/media.tar" --strip-components=1
# A backup of an older release.
python manage.py migrate --verbosity 0
