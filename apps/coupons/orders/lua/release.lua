-- Give one order's unit back to its sale and let the person buy again, at most once.
-- KEYS[1] string: units left
-- KEYS[2] hash: buyers, user id (or "user id/piece") -> "order id:request token"
-- KEYS[3] hash: released orders, "user id:request token" -> order id
-- ARGV[1] user id
-- ARGV[2] order id
-- ARGV[3] expiry of the released hash, in unix seconds
-- ARGV[4] field of the buyers at which the order is
-- Returns 1 when the unit went back, 0 when this order holds none or the sale isn't loaded.
local stock_key, buyers_key, released_key = KEYS[1], KEYS[2], KEYS[3]
local user_id, order_id, expires_at, field = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

-- 1. Read every key before the first write, so a key of a wrong type changes nothing.
local owned = redis.call("HGET", buyers_key, field)
local stock = redis.call("GET", stock_key)
local released_type = redis.call("TYPE", released_key).ok

-- 2. Decide: only the order that the person holds gives a unit back.
if not owned or owned:match("^(%d+):") ~= order_id then
  return 0
end
if not stock or not stock:find("^%d+$") then
  return 0
end
if released_type ~= "hash" and released_type ~= "none" then
  return 0
end

-- 3. Write: the buyer goes, the request's answer stays, the unit returns.
local request_token = owned:match("^%d+(:.*)$")
redis.call("HDEL", buyers_key, field)
redis.call("HSET", released_key, user_id .. request_token, order_id)
redis.call("EXPIREAT", released_key, expires_at)
redis.call("INCR", stock_key)
return 1
