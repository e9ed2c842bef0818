-- Take a lock or a permit, or stand in line for it; the same acquisition asked again changes nothing.
-- KEYS[1] zset: holders, "mode|owner|acquisition" scored by the millisecond in which their lease ends
-- KEYS[2] zset: waiters, the same members scored by their turn
-- KEYS[3] hash: fence -> newest fencing token, and of each woken waiter: member -> millisecond
-- ARGV[1] mode: "w" alone, "r" beside other readers, "s" one of several permits
-- ARGV[2] owner, who may hold a lock several times
-- ARGV[3] acquisition
-- ARGV[4] lease, milliseconds
-- ARGV[5] permits: holders at once
-- ARGV[6] 1 when turns are kept
-- ARGV[7] 1 to stand in line
-- ARGV[8] fencing token that the caller saw last
-- ARGV[9] what the waiters' channels begin with; their acquisition follows
-- ARGV[10] milliseconds in which a woken waiter has to come
-- Returns {1, fencing token} held; {0, ms until it may be free}; {2, ms} nobody is awake; {-1, 0} an upgrade.
local mode, owner, room, time = ARGV[1], ARGV[2], tonumber(ARGV[5]), redis.call("TIME")
local me = mode .. "|" .. owner .. "|" .. ARGV[3]
local micro = time[1] * 1000000 + time[2]
local now = math.floor(micro / 1000)
redis.call("ZREMRANGEBYSCORE", KEYS[1], "-inf", now)
local fence = tonumber(redis.call("HGET", KEYS[3], "fence") or 0)
if redis.call("ZSCORE", KEYS[1], me) then return { 1, fence } end
local held, mine, first, last = redis.call("ZRANGE", KEYS[1], 0, -1, "WITHSCORES"), "", nil, now
for place = 1, #held, 2 do
  local kind, who = string.match(held[place], "^(.)|([^|]*)|")
  if who == owner and mode ~= "s" then mine = mine .. kind
  elseif mode ~= "r" or kind == "w" then
    room, first, last = room - 1, first or tonumber(held[place + 1]), tonumber(held[place + 1])
  end
end
if mode == "w" and string.find(mine, "r") and not string.find(mine, "w") then return { -1, 0 } end
-- A waiter is gone when nobody listens on its channel, or when it was woken and did not come.
local function is_gone(other)
  local woken = tonumber(redis.call("HGET", KEYS[3], other) or now)
  local listeners = redis.call("PUBSUB", "NUMSUB", ARGV[9] .. string.match(other, "[^|]*$"))[2]
  return listeners == 0 or now - woken > tonumber(ARGV[10])
end
local free, place, ahead = room > 0, 0, nil
while mine == "" and ARGV[6] == "1" and room > 0 do
  local other = redis.call("ZRANGE", KEYS[2], place, place)[1]
  if not other or other == me then break end
  if is_gone(other) then redis.call("ZREM", KEYS[2], other) redis.call("HDEL", KEYS[3], other)
  elseif mode == "r" and string.sub(other, 1, 1) == "r" then place = place + 1
  else place, room, ahead = place + 1, room - 1, other end
end
redis.call("HDEL", KEYS[3], me)
if mine == "" and room < 1 then
  if ARGV[7] == "1" then
    local turn = math.max(micro, tonumber(redis.call("ZRANGE", KEYS[2], -1, -1, "WITHSCORES")[2] or 0) + 1)
    redis.call("ZADD", KEYS[2], "NX", string.format("%.0f", turn), me)
    redis.call("PEXPIRE", KEYS[2], 60000)
  end
  local asleep = free and redis.call("HEXISTS", KEYS[3], ahead) == 0
  return { asleep and 2 or 0, free and tonumber(ARGV[10]) or math.max(1, (mode == "s" and first or last) - now) }
end
redis.call("ZREM", KEYS[2], me) redis.call("ZADD", KEYS[1], now + tonumber(ARGV[4]), me)
redis.call("PEXPIREAT", KEYS[1], redis.call("ZRANGE", KEYS[1], -1, -1, "WITHSCORES")[2])
fence = math.max(fence + 1, tonumber(ARGV[8]) + 1, micro)
redis.call("HSET", KEYS[3], "fence", string.format("%.0f", fence)) redis.call("PEXPIRE", KEYS[3], 86400000)
return { 1, fence }
