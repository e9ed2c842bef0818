-- Let a lease end later, while it still runs.
-- KEYS[1] zset: holders, as in acquire_lock.lua
-- KEYS[2] hash: fence -> newest fencing token
-- ARGV[1] member "mode|owner|acquisition"
-- ARGV[2] milliseconds
-- ARGV[3] 1 to count them from now, 0 from the end of the lease
-- ARGV[4] fencing token that no later one may fall below, 0 for none
-- Returns 1, or 0 when the lease has ended.
local DAY_MS = 86400000
local holders, state, member = KEYS[1], KEYS[2], ARGV[1]
local extension_ms, is_from_now, least_fence = tonumber(ARGV[2]), ARGV[3] == "1", tonumber(ARGV[4])

-- 1. A lease that has ended can't be extended.
local time = redis.call("TIME")
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
local ends = tonumber(redis.call("ZSCORE", holders, member) or 0)
if ends <= now_ms then
  return 0
end

-- 2. Move its end; the key lives as long as the last lease.
local new_end = (is_from_now and now_ms or ends) + extension_ms
redis.call("ZADD", holders, "XX", new_end, member)
local last_end = redis.call("ZRANGE", holders, -1, -1, "WITHSCORES")[2]
redis.call("PEXPIREAT", holders, last_end)

-- 3. Raise the fencing token where the caller knows a newer one.
local fence = tonumber(redis.call("HGET", state, "fence") or 0)
redis.call("HSET", state, "fence", string.format("%.0f", math.max(fence, least_fence)))
redis.call("PEXPIRE", state, DAY_MS)
return 1
