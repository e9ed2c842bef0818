-- Count a page view of one object, and add it to what is popular now.
-- KEYS[1] hash: the kind's page views of the day: "all", and object id -> views
-- KEYS[2] string: HyperLogLog of the object's visitors of the day
-- KEYS[3] zset: object id -> views, each weighing 2^((its time - epoch) / half-life)
-- KEYS[4] string: the epoch, in unix seconds
-- ARGV[1] object id
-- ARGV[2] visitor, a digest
-- ARGV[3] objects that a day counts one by one
-- ARGV[4] seconds that a day is kept
-- ARGV[5] half-life, in seconds
-- ARGV[6] objects that the ranking holds
-- ARGV[7] seconds that the ranking is kept
-- Returns a Viewed: 1 counted, 0 ranked only since the day counts enough other objects, -1 a key is of another type.
local BROKEN, RANKED_ONLY, COUNTED = -1, 0, 1
-- Far from 2^1023, where doubles end, with room for the sum of many views.
local MOST_HALF_LIVES = 500
for place, kind in ipairs({ "hash", "string", "zset", "string" }) do
  local held = redis.call("TYPE", KEYS[place]).ok
  if held ~= kind and held ~= "none" then return BROKEN end
end

local time, half_life = redis.call("TIME"), tonumber(ARGV[5])
local now = time[1] + time[2] / 1000000
local epoch = tonumber(redis.call("GET", KEYS[4]) or nil)
if not epoch then
  -- Weights mean nothing without their epoch.
  redis.call("DEL", KEYS[3])
  epoch = now
elseif (now - epoch) / half_life > MOST_HALF_LIVES then
  local halvings = math.floor((now - epoch) / half_life)
  redis.call("ZUNIONSTORE", KEYS[3], 1, KEYS[3], "WEIGHTS", string.format("%.17g", 2 ^ -halvings))
  epoch = epoch + halvings * half_life
end
redis.call("SET", KEYS[4], string.format("%.17g", epoch), "EX", ARGV[7])
redis.call("ZINCRBY", KEYS[3], string.format("%.17g", 2 ^ ((now - epoch) / half_life)), ARGV[1])
redis.call("ZREMRANGEBYRANK", KEYS[3], 0, -ARGV[6] - 1)
redis.call("EXPIRE", KEYS[3], ARGV[7])

local is_new = redis.call("HEXISTS", KEYS[1], ARGV[1]) == 0
if is_new and redis.call("HLEN", KEYS[1]) > tonumber(ARGV[3]) then return RANKED_ONLY end
redis.call("HINCRBY", KEYS[1], ARGV[1], 1)
redis.call("EXPIRE", KEYS[1], ARGV[4])
redis.call("PFADD", KEYS[2], ARGV[2])
redis.call("EXPIRE", KEYS[2], ARGV[4])
return COUNTED
