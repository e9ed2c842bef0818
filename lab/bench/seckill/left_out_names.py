"""What left_out takes out of the site's scripts, by promise; it imports nothing of the site."""

#: Pieces of scripts: by promise, what stands there and what replaces it.
PIECES: dict[str, dict[str, str]] = {
    "limits": {
        "refusals, charge = hit_limits(hits, {unpack(ARGV, 4, 7)})": "charge = function() end",
    },
    "replay": {
        'if redis.call("EXISTS", released) == 1 then': "if false then",
        "repeated = repeated or owned_token == token and owned_id": "repeated = nil",
        'owned_now[fields[free]] = order_id .. ":" .. token': 'owned_now[fields[free]] = order_id .. ":"',
    },
    "window": {
        "local closed = now < begins and NOT_STARTED or now >= ends and ENDED": "local closed = false",
    },
    # No script's: the signatures of the claim and of the receipt, and the claims kept in memory.
    "receipt": {},
}
PROMISES = tuple(PIECES)
