-- Store a new code of a phone and holder in place of the older one and its count of checks.
-- KEYS[1] hash: the code of one phone and holder, fields "mac" and "checks"
-- ARGV[1] the keyed hash of the code
-- ARGV[2] expiry, in milliseconds
-- Returns 1.
local code = KEYS[1]
local mac = ARGV[1]
local ttl_ms = ARGV[2]

redis.call("DEL", code)
redis.call("HSET", code, "mac", mac, "checks", 0)
redis.call("PEXPIRE", code, ttl_ms)
return 1
