-- Read a cached value; when it is absent or not fresh, give one reader the lease to load it.
-- KEYS[1] hash: one entry, with the fields value, fresh_until (unix ms), generation,
--         lease (token of the loader), lease_until (unix ms)
-- ARGV[1] token of this reader
-- ARGV[2] how long the lease lasts, in milliseconds
-- ARGV[3] the only generation that counts, or "" for any
-- Returns {state, value, generation}: state 1 fresh, 2 stale, 3 stale and load it, 4 absent
--   and wait, 5 absent and load it; with 4 the token of the loading reader stands in for the value.
local FRESH, STALE, REFRESH, WAIT, LOAD = 1, 2, 3, 4, 5
local entry, token, lease_ms, wanted = KEYS[1], ARGV[1], tonumber(ARGV[2]), ARGV[3]

-- 1. Read the entry; a value of another generation counts as absent.
local names = { "value", "fresh_until", "generation", "lease", "lease_until" }
local fields = redis.pcall("HMGET", entry, unpack(names))
if fields.err then
  -- Another type was left under this name: an old format, or a mistake.
  redis.call("DEL", entry)
  fields = {}
end
local value, generation, lease = fields[1], fields[3], fields[4]
local fresh_until, lease_until = tonumber(fields[2]) or 0, tonumber(fields[5]) or 0
local exists = value and (wanted == "" or generation == wanted)

-- 2. Answer readers that need not load: the value is fresh, or another reader loads it.
local time = redis.call("TIME")
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
if exists and fresh_until > now_ms then
  return { FRESH, value, generation or "" }
end
local is_loading = lease and lease ~= token and lease_until > now_ms
if is_loading and exists then
  return { STALE, value, generation or "" }
end
if is_loading then
  return { WAIT, lease, "" }
end

-- 3. Give this reader the lease.
local ends = string.format("%.0f", now_ms + lease_ms)
redis.call("HSET", entry, "lease", token, "lease_until", ends)
if exists then
  return { REFRESH, value, generation or "" }
end
redis.call("HDEL", entry, "value", "fresh_until", "generation")
redis.call("PEXPIRE", entry, lease_ms)
return { LOAD, "", "" }
