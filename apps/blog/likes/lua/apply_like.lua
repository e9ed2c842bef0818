-- Apply a like or unlike to the copy of a note's likes, unless the person's newer one came first.
-- KEYS[1] zset: the copy, user id by microsecond of the like; "*" marks it complete, scored -floor
-- KEYS[2] zset: newest changes, user id by microsecond, negative for an unlike
-- KEYS[3] string: "floor-token" of a build that copies the likes from SQL
-- ARGV[1] user id
-- ARGV[2] microsecond of the change, negative for an unlike
-- ARGV[3] floor for which SQL has confirmed the change, 0 for none
-- ARGV[4] lifetime of the copy, in seconds
-- ARGV[5] lifetime of the changes, in seconds
-- Returns 1 applied, 0 no copy, -1 a newer change is known, or the floor: ask SQL for newer ones.
local copy_key = KEYS[1]
local changes_key = KEYS[2]
local lease_key = KEYS[3]
local user_id = ARGV[1]
local change = tonumber(ARGV[2])
local changed_at = math.abs(change)

-- 1. A newer change of this person was applied before.
local last_change = math.abs(tonumber(redis.call("ZSCORE", changes_key, user_id) or 0))
local liked_at = tonumber(redis.call("ZSCORE", copy_key, user_id) or 0)
if last_change > changed_at or liked_at > changed_at then
  return -1
end

-- 2. A change from before the build is in its rows, but its undoing is not kept here: ask SQL.
local complete_score = redis.call("ZSCORE", copy_key, "*")
local lease = redis.call("GET", lease_key)
local floor = 0
if complete_score then
  floor = -tonumber(complete_score)
elseif lease then
  floor = tonumber(string.match(lease, "^%d+")) or 0
end
if changed_at <= floor and floor ~= tonumber(ARGV[3]) then
  return floor
end

-- 3. Remember the change for a build that may have read SQL before it, and for late older changes.
if change < 0 or lease then
  redis.call("ZADD", changes_key, change, user_id)
  redis.call("EXPIRE", changes_key, ARGV[5])
end

-- 4. Change the copy, if it is complete.
if not complete_score then
  return 0
end
if change < 0 then
  redis.call("ZREM", copy_key, user_id)
else
  redis.call("ZADD", copy_key, change, user_id)
end
redis.call("EXPIRE", copy_key, ARGV[4])
return 1
