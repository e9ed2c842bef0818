-- Write an ad's new prices and its ceiling in its places, unless newer counts have priced it.
-- KEYS[1] hash: ads, id -> JSON
-- KEYS[2..] zset: the ads of each place that the record names
-- ARGV[1] ad id
-- ARGV[2] the new record
-- ARGV[3] its ceiling in micros
-- Returns 1 when written, 0 when the ad was edited or priced by newer counts meanwhile.
local ads_key = KEYS[1]
local ad, record, ceiling = unpack(ARGV, 1, 3)
local held = redis.call("HGET", ads_key, ad)
if not held then
  return 0
end
local old, new = cjson.decode(held), cjson.decode(record)
if old.revision ~= new.revision or old.basis > new.basis or #old.places ~= #KEYS - 1 then
  return 0
end
redis.call("HSET", ads_key, ad, record)
for index = 2, #KEYS do
  redis.call("ZADD", KEYS[index], "XX", ceiling, ad)
end
return 1
