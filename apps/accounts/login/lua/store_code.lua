-- Keep a new log-in code of a phone; an older one and its count of checks are gone.
-- KEYS[1] hash: the code of one phone, fields "mac" and "checks"
-- ARGV[1] the keyed hash of the code
-- ARGV[2] expiry, in milliseconds
-- Returns 1.
local code, mac, ttl_ms = KEYS[1], ARGV[1], ARGV[2]

redis.call("DEL", code)
redis.call("HSET", code, "mac", mac, "checks", 0)
redis.call("PEXPIRE", code, ttl_ms)
return 1
