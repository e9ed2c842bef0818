-- Store a loaded value if the loader still has the lease: an invalidation meanwhile took it away.
-- KEYS[1] hash: one entry, as in read_cache_entry.lua
-- ARGV[1] token of the loader
-- ARGV[2] value, or "" for an object that does not exist
-- ARGV[3] how long the value is fresh, in milliseconds
-- ARGV[4] how long the entry lives, in milliseconds
-- ARGV[5] generation read before the load began
-- Returns 1 stored, 0 refused.
local entry, token, value = KEYS[1], ARGV[1], ARGV[2]
local fresh_ms, ttl_ms, generation = tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5]

-- 1. Refuse a loader that lost its lease.
if redis.call("HGET", entry, "lease") ~= token then
  return 0
end

-- 2. Store the value and give the lease back.
local time = redis.call("TIME")
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
local fresh_until = string.format("%.0f", now_ms + fresh_ms)
redis.call("HSET", entry, "value", value, "fresh_until", fresh_until, "generation", generation)
redis.call("HDEL", entry, "lease", "lease_until")
redis.call("PEXPIRE", entry, ttl_ms)
return 1
