-- Read a cached value and, when it is absent or no longer fresh, give one reader the lease to load it.
-- KEYS[1] hash: one entry, fields "value", "fresh_until" (ms), "generation", "lease" (token), "lease_until" (ms)
-- ARGV[1] token of this reader
-- ARGV[2] how long the lease lasts, in milliseconds
-- ARGV[3] the only generation that counts, or "" for any
-- Returns {1 fresh | 2 stale | 3 stale, load it | 4 absent, wait | 5 absent, load it; value; generation};
--   with 4 the token of the reader who loads stands in for the value.
local entry, token, lease_ms, wanted = KEYS[1], ARGV[1], tonumber(ARGV[2]), ARGV[3]
local FRESH, STALE, REFRESH, WAIT, LOAD = 1, 2, 3, 4, 5

local state = redis.pcall("HMGET", entry, "value", "fresh_until", "generation", "lease", "lease_until")
if state.err then
  -- Something else was left under this name: an old format, or a mistake.
  redis.call("DEL", entry)
  state = {}
end
local value, generation, lease = state[1], state[3], state[4]
local has = value and (wanted == "" or generation == wanted)

local time = redis.call("TIME")
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if has and (tonumber(state[2]) or 0) > now then
  return { FRESH, value, generation or "" }
end
local taken = lease and lease ~= token and (tonumber(state[5]) or 0) > now
if taken then
  return has and { STALE, value, generation or "" } or { WAIT, lease, "" }
end

redis.call("HSET", entry, "lease", token, "lease_until", string.format("%.0f", now + lease_ms))
if has then
  return { REFRESH, value, generation or "" }
end
redis.call("HDEL", entry, "value", "fresh_until", "generation")
redis.call("PEXPIRE", entry, lease_ms)
return { LOAD, "", "" }
