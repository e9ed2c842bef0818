-- Make what a build wrote the copy of a note's likes, with the changes that came meanwhile.
-- KEYS[1] zset: the copy, as in apply_like.lua
-- KEYS[2] zset: newest changes, as in apply_like.lua
-- KEYS[3] string: "floor-token" of the build that may end
-- KEYS[4] zset: what the build wrote, "*" included
-- ARGV[1] "floor-token" of this build
-- ARGV[2] lifetime of the copy, seconds
-- Returns 1 swapped, 0 the build lost its lease, and what it wrote is thrown away.
if redis.call("GET", KEYS[3]) ~= ARGV[1] or not redis.call("ZSCORE", KEYS[4], "*") then
  redis.call("DEL", KEYS[4])
  return 0
end
local changes = redis.call("ZRANGE", KEYS[2], 0, -1, "WITHSCORES")
for place = 1, #changes, 2 do
  local user, change = changes[place], tonumber(changes[place + 1])
  local built = tonumber(redis.call("ZSCORE", KEYS[4], user) or 0)
  if built <= math.abs(change) then
    if change < 0 then
      redis.call("ZREM", KEYS[4], user)
    else
      redis.call("ZADD", KEYS[4], change, user)
    end
  end
end
redis.call("RENAME", KEYS[4], KEYS[1])
redis.call("EXPIRE", KEYS[1], ARGV[2])
redis.call("DEL", KEYS[3])
return 1
