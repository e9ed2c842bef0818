-- Take a lock or a permit, or queue for it; repeating the same acquisition changes nothing.
-- KEYS[1] zset: holders, "mode|owner|acquisition" scored by the unix ms in which their lease ends
-- KEYS[2] zset: waiters, the same members scored by their turn
-- KEYS[3] hash: fence -> newest fencing token, and of each woken waiter: member -> unix ms
-- ARGV[1] mode: "w" alone, "r" beside other readers, "s" one of several permits
-- ARGV[2] owner, who may hold a lock several times
-- ARGV[3] acquisition
-- ARGV[4] lease, milliseconds
-- ARGV[5] permits: holders at once
-- ARGV[6] 1 when turns are kept
-- ARGV[7] 1 to queue
-- ARGV[8] fencing token that the caller saw last
-- ARGV[9] prefix of the waiters' channels; their acquisition follows
-- ARGV[10] milliseconds in which a woken waiter has to come
-- Returns {1, fencing token} held; {0, ms until it may be free} taken; {2, ms} free, but the first
-- waiter was not woken; {-1, 0} refused: a reader may not become a writer.
local REFUSED, TAKEN, HELD, ASLEEP = -1, 0, 1, 2
local DAY_MS, QUEUE_MS = 86400000, 60000
local holders, waiters, state = KEYS[1], KEYS[2], KEYS[3]
local mode, owner, lease_ms, room = ARGV[1], ARGV[2], tonumber(ARGV[4]), tonumber(ARGV[5])
local keeps_turns, may_queue = ARGV[6] == "1", ARGV[7] == "1"
local last_fence, channel_prefix, grace_ms = tonumber(ARGV[8]), ARGV[9], tonumber(ARGV[10])
local member = mode .. "|" .. owner .. "|" .. ARGV[3]

-- 1. Remove ended leases; an acquisition that is held already is answered as before.
local time = redis.call("TIME")
local now_us = time[1] * 1000000 + time[2]
local now_ms = math.floor(now_us / 1000)
redis.call("ZREMRANGEBYSCORE", holders, "-inf", now_ms)
local fence = tonumber(redis.call("HGET", state, "fence") or 0)
if redis.call("ZSCORE", holders, member) then
  return { HELD, fence }
end

-- 2. Count the room that other owners leave, and note the modes in which this one holds it.
local held = redis.call("ZRANGE", holders, 0, -1, "WITHSCORES")
local own_modes, first_end, last_end = "", nil, now_ms
for index = 1, #held, 2 do
  local holder_mode, holder_owner = string.match(held[index], "^(.)|([^|]*)|")
  if holder_owner == owner and mode ~= "s" then
    own_modes = own_modes .. holder_mode
  elseif mode ~= "r" or holder_mode == "w" then
    room = room - 1
    last_end = tonumber(held[index + 1])
    first_end = first_end or last_end
  end
end
local is_reader, is_writer = string.find(own_modes, "r"), string.find(own_modes, "w")
if mode == "w" and is_reader and not is_writer then
  return { REFUSED, 0 }
end

-- A waiter is gone when no connection hears its channel, or when it was woken and did not come.
local function is_gone(waiter)
  local woken_ms = tonumber(redis.call("HGET", state, waiter) or now_ms)
  local channel = channel_prefix .. string.match(waiter, "[^|]*$")
  local listeners = redis.call("PUBSUB", "NUMSUB", channel)[2]
  return listeners == 0 or now_ms - woken_ms > grace_ms
end

-- 3. Leave room for waiters whose turn is earlier; readers pass beside readers.
local is_free, is_new, turn, waiter_ahead = room > 0, own_modes == "", 0, nil
while is_new and keeps_turns and room > 0 do
  local waiter = redis.call("ZRANGE", waiters, turn, turn)[1]
  if not waiter or waiter == member then
    break
  end
  if is_gone(waiter) then
    redis.call("ZREM", waiters, waiter)
    redis.call("HDEL", state, waiter)
  elseif mode == "r" and string.sub(waiter, 1, 1) == "r" then
    turn = turn + 1
  else
    turn = turn + 1
    room = room - 1
    waiter_ahead = waiter
  end
end
redis.call("HDEL", state, member)

-- 4. Without room, queue behind the last waiter and say when to ask again.
if is_new and room < 1 then
  if may_queue then
    local last_turn = redis.call("ZRANGE", waiters, -1, -1, "WITHSCORES")[2] or 0
    local next_turn = string.format("%.0f", math.max(now_us, tonumber(last_turn) + 1))
    redis.call("ZADD", waiters, "NX", next_turn, member)
    redis.call("PEXPIRE", waiters, QUEUE_MS)
  end
  if not is_free then
    local free_at = mode == "s" and first_end or last_end
    return { TAKEN, math.max(1, free_at - now_ms) }
  end
  local is_woken = redis.call("HEXISTS", state, waiter_ahead) == 1
  return { is_woken and TAKEN or ASLEEP, grace_ms }
end

-- 5. Hold it, with a fencing token above every earlier one.
redis.call("ZREM", waiters, member)
redis.call("ZADD", holders, now_ms + lease_ms, member)
local last_lease_end = redis.call("ZRANGE", holders, -1, -1, "WITHSCORES")[2]
redis.call("PEXPIREAT", holders, last_lease_end)
fence = math.max(fence + 1, last_fence + 1, now_us)
redis.call("HSET", state, "fence", string.format("%.0f", fence))
redis.call("PEXPIRE", state, DAY_MS)
return { HELD, fence }
