-- Put a shop where its newest version says, and take it out of where it was.
-- KEYS[1] hash: facts, shop id -> "rating:popularity:price:latitude:longitude:type:version", type 0 = not listed
-- KEYS[2] set: ids of deleted shops
-- KEYS[3] zset: GEO index of all types
-- KEYS[4] zset: GEO index of the shop's type
-- KEYS[5] zset: GEO index of the type it is believed to be in now
-- ARGV[1] shop id
-- ARGV[2] new facts, as in KEYS[1]
-- ARGV[3] longitude, degrees
-- ARGV[4] latitude, degrees
-- ARGV[5] type it is believed to be in now, 0 for none
-- Returns 1 placed, 0 an older version or a deleted shop, -1 it is in another type now: ask again.
local shop, facts, believed = ARGV[1], ARGV[2], ARGV[5]
local DONE, OLDER, MOVED = 1, 0, -1

if redis.call("SISMEMBER", KEYS[2], shop) == 1 then
  return OLDER
end
local type, version = string.match(facts, "(%d+):(%d+)$")
local held = redis.call("HGET", KEYS[1], shop)
if held then
  local held_type, held_version = string.match(held, "(%d+):(%d+)$")
  if tonumber(held_version) > tonumber(version) then
    return OLDER
  end
  if held_type ~= believed then
    return MOVED
  end
end
redis.call("ZREM", KEYS[5], shop)
if type == "0" then
  redis.call("ZREM", KEYS[3], shop)
else
  redis.call("GEOADD", KEYS[3], ARGV[3], ARGV[4], shop)
  redis.call("GEOADD", KEYS[4], ARGV[3], ARGV[4], shop)
end
redis.call("HSET", KEYS[1], shop, facts)
return DONE
