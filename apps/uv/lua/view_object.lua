-- Count a page view of one object; a visitor who is new to it that day raises it in the ranking.
-- KEYS[1] hash: the kind's page views of the day: "all", and object id -> views
-- KEYS[2] string: HyperLogLog of the object's visitors of the day
-- KEYS[3] zset: object id -> visitors, each weighing 2^((its time - epoch) / half-life)
-- KEYS[4] string: the epoch, in unix seconds
-- ARGV[1] object id
-- ARGV[2] how many views
-- ARGV[3] objects that a day counts one by one
-- ARGV[4] seconds that a day is kept
-- ARGV[5] half-life, in seconds
-- ARGV[6] objects that the ranking holds
-- ARGV[7] seconds that the ranking is kept
-- ARGV[8..] the visitors, digests
-- Returns 1 counted, 0 ranked only (the day counts enough other objects), -1 a key of another type.
local views = KEYS[1]
local visitors = KEYS[2]
local ranking = KEYS[3]
local epoch_key = KEYS[4]
local object_id = ARGV[1]
local new_views = ARGV[2]
local max_objects = tonumber(ARGV[3])
local day_ttl = ARGV[4]
local half_life = tonumber(ARGV[5])
local ranking_size = ARGV[6]
local ranking_ttl = ARGV[7]
local BROKEN = -1
local RANKED_ONLY = 0
local COUNTED = 1
-- Far from 2^1023, where doubles end, with room for the sum of many views.
local MAX_HALF_LIVES = 500

-- Check every type before the first write, so a key of a wrong type changes nothing.
for position, expected in ipairs({ "hash", "string", "zset", "string" }) do
  local actual = redis.call("TYPE", KEYS[position]).ok
  if actual ~= expected and actual ~= "none" then
    return BROKEN
  end
end

-- Count the views and their visitors, unless the day counts enough other objects already.
local is_new = redis.call("HEXISTS", views, object_id) == 0
local outcome = COUNTED
if is_new and redis.call("HLEN", views) > max_objects then
  outcome = RANKED_ONLY
else
  redis.call("HINCRBY", views, object_id, new_views)
  redis.call("EXPIRE", views, day_ttl)
  local is_first_visit = redis.call("PFADD", visitors, unpack(ARGV, 8)) == 1
  redis.call("EXPIRE", visitors, day_ttl)
  if not is_first_visit then
    return COUNTED
  end
end

-- Move the epoch forward before weights grow too large; without an epoch they mean nothing.
local time = redis.call("TIME")
local now = time[1] + time[2] / 1000000
local epoch = tonumber(redis.call("GET", epoch_key) or nil)
if not epoch then
  redis.call("DEL", ranking)
  epoch = now
elseif (now - epoch) / half_life > MAX_HALF_LIVES then
  local halvings = math.floor((now - epoch) / half_life)
  local factor = string.format("%.17g", 2 ^ -halvings)
  redis.call("ZUNIONSTORE", ranking, 1, ranking, "WEIGHTS", factor)
  epoch = epoch + halvings * half_life
end
redis.call("SET", epoch_key, string.format("%.17g", epoch), "EX", ranking_ttl)

-- Rank the object: a visitor now weighs more than every earlier one.
local weight = string.format("%.17g", 2 ^ ((now - epoch) / half_life))
redis.call("ZINCRBY", ranking, weight, object_id)
redis.call("ZREMRANGEBYRANK", ranking, 0, -ranking_size - 1)
redis.call("EXPIRE", ranking, ranking_ttl)
return outcome
