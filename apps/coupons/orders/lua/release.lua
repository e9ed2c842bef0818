-- Give one order's unit back to its sale and let the person buy again, at most once.
-- KEYS[1] string: units left
-- KEYS[2] hash: buyers, user id -> "order id:request token"
-- KEYS[3] hash: released orders, "user id:request token" -> order id
-- ARGV[1] user id
-- ARGV[2] order id
-- ARGV[3] expiry of the released hash, in unix seconds
-- Returns 1 when the unit went back, 0 when this order holds none (released before, or the sale isn't loaded).
local held = redis.call("HGET", KEYS[2], ARGV[1])
local stock = redis.call("GET", KEYS[1])
local released_type = redis.call("TYPE", KEYS[3]).ok
if not held or held:match("^(%d+):") ~= ARGV[2] then return 0 end
if not stock or not stock:find("^%d+$") or (released_type ~= "hash" and released_type ~= "none") then return 0 end

redis.call("HDEL", KEYS[2], ARGV[1])
redis.call("HSET", KEYS[3], ARGV[1] .. held:match("^%d+(:.*)$"), ARGV[2])
redis.call("EXPIREAT", KEYS[3], ARGV[3])
redis.call("INCR", KEYS[1])
return 1
