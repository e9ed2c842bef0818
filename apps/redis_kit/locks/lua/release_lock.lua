-- Give a lock or permit back, or leave its queue, and wake the waiters whose turn it is.
-- KEYS[1] zset: holders, as in acquire_lock.lua
-- KEYS[2] zset: waiters, by turn
-- KEYS[3] hash: fence, and of each woken waiter: member -> the millisecond of its wake-up
-- ARGV[1] member "mode|owner|acquisition", or "" to wake only
-- ARGV[2] permits: holders at once
-- ARGV[3] prefix of the waiters' channels
-- ARGV[4] milliseconds in which a woken waiter has to come
-- Returns 1 when it was held, 0 when not.
local DAY_MS = 86400000
local holders, waiters, state, member = KEYS[1], KEYS[2], KEYS[3], ARGV[1]
local permits, channel_prefix, grace_ms = tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4])

-- 1. Remove ended leases and this member.
local time = redis.call("TIME")
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call("ZREMRANGEBYSCORE", holders, "-inf", now_ms)
local released = redis.call("ZREM", holders, member)
redis.call("ZREM", waiters, member)
redis.call("HDEL", state, member)

-- 2. Count the holders: a reader waits for writers only, others wait for all.
local holder_count, writer_count = 0, 0
for _, holder in ipairs(redis.call("ZRANGE", holders, 0, -1)) do
  holder_count = holder_count + 1
  if string.sub(holder, 1, 1) == "w" then
    writer_count = writer_count + 1
  end
end

-- Wake a waiter, once. It is gone when that was too long ago, or when no connection hears it.
local function is_gone(waiter, woken_ms)
  if woken_ms then
    return now_ms - tonumber(woken_ms) > grace_ms
  end
  local acquisition = string.match(waiter, "[^|]*$")
  return redis.call("PUBLISH", channel_prefix .. acquisition, "1") == 0
end

-- 3. Wake waiters in turn while there is room; a woken one counts as a holder.
local turn = 0
while true do
  local waiter = redis.call("ZRANGE", waiters, turn, turn)[1]
  if not waiter then
    break
  end
  local mode = string.sub(waiter, 1, 1)
  local taken = mode == "r" and writer_count or holder_count
  local room = mode == "r" and 1 or permits
  if taken >= room then
    break
  end
  local woken_ms = redis.call("HGET", state, waiter)
  if is_gone(waiter, woken_ms) then
    redis.call("ZREM", waiters, waiter)
    redis.call("HDEL", state, waiter)
  else
    if not woken_ms then
      redis.call("HSET", state, waiter, now_ms)
    end
    holder_count = holder_count + 1
    if mode == "w" then
      writer_count = writer_count + 1
    end
    turn = turn + 1
  end
end

-- 4. Keep the fencing token for a day after the last use.
if redis.call("EXISTS", state) == 1 then
  redis.call("PEXPIRE", state, DAY_MS)
end
return released
