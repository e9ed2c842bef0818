-- Bring one like or unlike to the copy of a note's likes, unless newer news of that person came first.
-- KEYS[1] zset: the copy, user id -> microsecond of the like; "*" -> minus its floor says that it is whole
-- KEYS[2] zset: newest changes, user id -> microsecond, negative for an unlike
-- KEYS[3] string: "floor-token" of a build that copies the likes from SQL
-- ARGV[1] user id
-- ARGV[2] microsecond of the change, negative for an unlike
-- ARGV[3] floor for which SQL has confirmed the change, 0 for none
-- ARGV[4] lifetime of the copy, seconds
-- ARGV[5] lifetime of the changes, seconds
-- Returns 1 applied, 0 no copy, -1 something newer is known, or the floor: ask SQL, which may know of newer.
local user, change = ARGV[1], tonumber(ARGV[2])
local at = math.abs(change)
local known = math.abs(tonumber(redis.call("ZSCORE", KEYS[2], user) or 0))
local held = tonumber(redis.call("ZSCORE", KEYS[1], user) or 0)
if known > at or held > at then
  return -1
end
local whole, lease = redis.call("ZSCORE", KEYS[1], "*"), redis.call("GET", KEYS[3])
-- What was told before the build is in its rows, and forgotten here: an older change may have been undone.
local floor = whole and -tonumber(whole) or lease and tonumber(string.match(lease, "^%d+")) or 0
if at <= floor and floor ~= tonumber(ARGV[3]) then
  return floor
end
-- A build may have read SQL before this change: it hears of it when it ends.
if change < 0 or lease then
  redis.call("ZADD", KEYS[2], change, user)
  redis.call("EXPIRE", KEYS[2], ARGV[5])
end
if not whole then
  return 0
end
if change < 0 then
  redis.call("ZREM", KEYS[1], user)
else
  redis.call("ZADD", KEYS[1], change, user)
end
redis.call("EXPIRE", KEYS[1], ARGV[4])
return 1
