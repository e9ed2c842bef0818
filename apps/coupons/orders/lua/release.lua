-- Give orders' units back to their sale and let the people buy again, each order at most once.
-- KEYS[1] string: units left
-- KEYS[2] hash: buyers, user id (or "user id/piece") -> "order id:request token"
-- KEYS[3] hash: released orders, "user id:request token" -> order id
-- ARGV[1] expiry of the released hash, in unix seconds
-- ARGV[2..] for each order: user id, order id, field of the buyers at which the order is
-- Returns how many units went back; none while the sale isn't loaded.
local stock_key, buyers_key, released_key = KEYS[1], KEYS[2], KEYS[3]
local expires_at = ARGV[1]

-- 1. Read every key before the first write, so a key of a wrong type changes nothing.
local stock = redis.call("GET", stock_key)
local released_type = redis.call("TYPE", released_key).ok
redis.call("HLEN", buyers_key)
if not stock or not stock:find("^%d+$") then
  return 0
end
if released_type ~= "hash" and released_type ~= "none" then
  return 0
end

-- 2. Only the order that the person holds gives a unit back: the buyer goes, the answer stays.
local returned = 0
for at = 2, #ARGV, 3 do
  local user_id, order_id, field = ARGV[at], ARGV[at + 1], ARGV[at + 2]
  local owned = redis.call("HGET", buyers_key, field)
  if owned and owned:match("^(%d+):") == order_id then
    local request_token = owned:match("^%d+(:.*)$")
    redis.call("HDEL", buyers_key, field)
    redis.call("HSET", released_key, user_id .. request_token, order_id)
    returned = returned + 1
  end
end

-- 3. The units return.
if returned > 0 then
  redis.call("EXPIREAT", released_key, expires_at)
  redis.call("INCRBY", stock_key, returned)
end
return returned
