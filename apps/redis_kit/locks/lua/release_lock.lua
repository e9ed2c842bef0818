-- Give a lock or a permit back, or step out of its line, and wake whose turn it is; dead waiters are skipped.
-- KEYS[1] zset: holders, as in lock_acquire.lua
-- KEYS[2] zset: waiters
-- KEYS[3] hash: fence, and of each woken waiter: member -> millisecond
-- ARGV[1] member "mode|owner|acquisition", or nothing to wake only
-- ARGV[2] permits: holders at once
-- ARGV[3] what the waiters' channels begin with
-- ARGV[4] milliseconds in which a woken waiter has to come
-- Returns 1 when it was held, 0 when not.
local permits, time = tonumber(ARGV[2]), redis.call("TIME")
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call("ZREMRANGEBYSCORE", KEYS[1], "-inf", now)
local was = redis.call("ZREM", KEYS[1], ARGV[1])
redis.call("ZREM", KEYS[2], ARGV[1])
redis.call("HDEL", KEYS[3], ARGV[1])

local holders, writers, place = 0, 0, 0
for _, holder in ipairs(redis.call("ZRANGE", KEYS[1], 0, -1)) do
  holders, writers = holders + 1, writers + (string.sub(holder, 1, 1) == "w" and 1 or 0)
end
while true do
  local other = redis.call("ZRANGE", KEYS[2], place, place)[1]
  local reads = other and string.sub(other, 1, 1) == "r"
  if not other or (reads and writers or holders) >= (reads and 1 or permits) then break end
  local woken = redis.call("HGET", KEYS[3], other)
  local late = woken and now - tonumber(woken) > tonumber(ARGV[4])
  if late or (not woken and redis.call("PUBLISH", ARGV[3] .. string.match(other, "[^|]*$"), "1") == 0) then
    redis.call("ZREM", KEYS[2], other)
    redis.call("HDEL", KEYS[3], other)
  else
    if not woken then redis.call("HSET", KEYS[3], other, now) end
    holders, place = holders + 1, place + 1
    writers = writers + (string.sub(other, 1, 1) == "w" and 1 or 0)
  end
end
if redis.call("EXISTS", KEYS[3]) == 1 then redis.call("PEXPIRE", KEYS[3], 86400000) end
return was
