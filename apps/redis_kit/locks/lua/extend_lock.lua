-- Let a lease end later, while it still runs.
-- KEYS[1] zset: holders, as in lock_acquire.lua
-- KEYS[2] hash: fence -> newest fencing token
-- ARGV[1] member "mode|owner|acquisition"
-- ARGV[2] milliseconds
-- ARGV[3] 1 to count them from now, 0 from the end of the lease
-- ARGV[4] fencing token that no later one may fall below, 0 for none
-- Returns 1, or 0 when the lease has ended.
local time = redis.call("TIME")
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local ends = tonumber(redis.call("ZSCORE", KEYS[1], ARGV[1]) or 0)
if ends <= now then return 0 end
redis.call("ZADD", KEYS[1], "XX", (ARGV[3] == "1" and now or ends) + tonumber(ARGV[2]), ARGV[1])
redis.call("PEXPIREAT", KEYS[1], redis.call("ZRANGE", KEYS[1], -1, -1, "WITHSCORES")[2])
local fence = tonumber(redis.call("HGET", KEYS[2], "fence") or 0)
redis.call("HSET", KEYS[2], "fence", string.format("%.0f", math.max(fence, tonumber(ARGV[4]))))
redis.call("PEXPIRE", KEYS[2], 86400000)
return 1
