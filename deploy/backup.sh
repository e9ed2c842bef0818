#!/bin/sh
# Write a backup of the running site into a new folder of the given one, and print its name: deploy/backup.sh /backup
# From the environment: VAR_DIR, MEDIA_ROOT, DATABASE_URL. Redis is in no backup, it is filled from SQL; nor are the
# pictures of a bucket (MEDIA_STORAGE_URL), which keeps versions of its own. docs/deployment.md.
set -eu
umask 077
: "${VAR_DIR:?}" "${1:?the folder of the backups}"
database=${DATABASE_URL:-sqlite:///$VAR_DIR/savor.sqlite3}
place=$1/$(date -u +%Y-%m-%dT%H-%M-%SZ)
mkdir "$place.part"

# SQL first: the file of each picture that a row names is there by the time files are copied.
case $database in
sqlite:///*)
    # One read transaction: the copy is of one moment, and nobody who writes waits for it.
    python -c 'import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute("VACUUM INTO ?", sys.argv[2:])' \
        "${database#sqlite:///}" "$place.part/savor.sqlite3"
    ;;
*) pg_dump --format=custom --file "$place.part/savor.dump" "$database" ;;
esac

media=${MEDIA_ROOT:-$VAR_DIR/media}
mkdir -p "$media"
# 1: a file was added or deleted meanwhile. In the archive the folder is always "media".
tar -C "$media" -cf "$place.part/media.tar" --transform 's,^\.,media,' . || [ $? = 1 ]
sync
mv "$place.part" "$place"
# The admin's dashboard reads when the last one was.
: >"$VAR_DIR/last-backup"
echo "$place"
