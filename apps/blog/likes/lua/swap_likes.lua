-- Replace the copy of a note's likes with a finished build, and apply the changes made meanwhile.
-- KEYS[1] zset: the copy, as in apply_like.lua
-- KEYS[2] zset: newest changes, as in apply_like.lua
-- KEYS[3] string: "floor-token" of the build that may finish
-- KEYS[4] zset: the build, "*" included
-- ARGV[1] "floor-token" of this build
-- ARGV[2] lifetime of the copy, in seconds
-- Returns 1 replaced, 0 the build lost its lease and is deleted.
local copy_key = KEYS[1]
local changes_key = KEYS[2]
local lease_key = KEYS[3]
local build_key = KEYS[4]

-- 1. Only the build that still has the lease may finish, and only if it is complete.
local has_lease = redis.call("GET", lease_key) == ARGV[1]
if not has_lease or not redis.call("ZSCORE", build_key, "*") then
  redis.call("DEL", build_key)
  return 0
end

-- 2. Apply the changes that are newer than what the build read from SQL.
local changes = redis.call("ZRANGE", changes_key, 0, -1, "WITHSCORES")
for index = 1, #changes, 2 do
  local user_id = changes[index]
  local change = tonumber(changes[index + 1])
  local built_at = tonumber(redis.call("ZSCORE", build_key, user_id) or 0)
  if built_at <= math.abs(change) then
    if change < 0 then
      redis.call("ZREM", build_key, user_id)
    else
      redis.call("ZADD", build_key, change, user_id)
    end
  end
end

-- 3. Replace the copy, and end the lease.
redis.call("RENAME", build_key, copy_key)
redis.call("EXPIRE", copy_key, ARGV[2])
redis.call("DEL", lease_key)
return 1
