-- Move a shop to the GEO indexes that its newest version belongs to.
-- KEYS[1] hash: shop id -> facts as geo_index.encode_facts writes them; they end with
-- ":type:version", with type 0 for a shop that is not listed
-- KEYS[2] set: ids of deleted shops
-- KEYS[3] zset: GEO index of all types
-- KEYS[4] zset: GEO index of the shop's type
-- KEYS[5] zset: GEO index of the type it is believed to be in now
-- ARGV[1] shop id
-- ARGV[2] new facts, as in KEYS[1]
-- ARGV[3] longitude, degrees
-- ARGV[4] latitude, degrees
-- ARGV[5] type it is believed to be in now, 0 for none
-- Returns 1 placed, 0 an older version or a deleted shop, -1 in another type now: try again.
local shop_id = ARGV[1]
local facts = ARGV[2]
local believed_type = ARGV[5]
local DONE = 1
local OLDER = 0
local MOVED = -1

-- A slower writer changes nothing: its version is older, or the shop is deleted.
if redis.call("SISMEMBER", KEYS[2], shop_id) == 1 then
  return OLDER
end
local type, version = string.match(facts, "(%d+):(%d+)$")
local stored = redis.call("HGET", KEYS[1], shop_id)
if stored then
  local stored_type, stored_version = string.match(stored, "(%d+):(%d+)$")
  if tonumber(stored_version) > tonumber(version) then
    return OLDER
  end
  if stored_type ~= believed_type then
    return MOVED
  end
end

-- Leave the old type; an unlisted shop leaves all types too.
redis.call("ZREM", KEYS[5], shop_id)
if type == "0" then
  redis.call("ZREM", KEYS[3], shop_id)
else
  redis.call("GEOADD", KEYS[3], ARGV[3], ARGV[4], shop_id)
  redis.call("GEOADD", KEYS[4], ARGV[3], ARGV[4], shop_id)
end
redis.call("HSET", KEYS[1], shop_id, facts)
return DONE
