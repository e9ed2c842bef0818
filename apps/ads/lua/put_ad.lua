-- Write an ad's record and its ceiling in each of its places, unless a newer edit is there.
-- KEYS[1] hash: ads, id -> JSON
-- KEYS[2..] zset: the ads of each place: first those that show it now, then those that it leaves
-- ARGV[1] ad id
-- ARGV[2] revision of the row
-- ARGV[3] the record that the caller has read, "" without one
-- ARGV[4] the new record
-- ARGV[5] its ceiling in micros
-- ARGV[6] how many of the places may show it
-- Returns 1 when written, 0 when Redis has a newer edit, 2 when the record has changed.
local OLDER, WRITTEN, CHANGED = 0, 1, 2
local ads_key = KEYS[1]
local ad, revision, read, record, ceiling, count = unpack(ARGV, 1, 6)
local held = redis.call("HGET", ads_key, ad) or ""
if held ~= "" and cjson.decode(held).revision > tonumber(revision) then
  return OLDER
end
if held ~= read then
  return CHANGED
end
redis.call("HSET", ads_key, ad, record)
for index = 2, #KEYS do
  if index - 1 <= tonumber(count) then
    redis.call("ZADD", KEYS[index], ceiling, ad)
  else
    redis.call("ZREM", KEYS[index], ad)
  end
end
return WRITTEN
