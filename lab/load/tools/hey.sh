#!/bin/sh
# One person's claim, repeated by hey, which sends one request again and again.
#   URL=http://127.0.0.1:8000 VOUCHER=17 TOKENS=tokens.txt lab/load/tools/hey.sh -n 100 -c 8
set -eu
token=$(head -n 1 "$TOKENS")
exec hey -m POST -H "Authorization: Bearer $token" -H "Idempotency-Key: hey-$(date +%s)" "$@" \
    "$URL/api/vouchers/$VOUCHER/seckill"
