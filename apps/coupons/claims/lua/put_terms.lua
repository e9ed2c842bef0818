-- Replace all terms of a sale, and let its keys expire by its new end.
-- KEYS[1] hash: the sale
-- KEYS[2] string: units left
-- KEYS[3] hash: buyers
-- KEYS[4] hash: released orders
-- ARGV[1] revision of the terms
-- ARGV[2] expiry of the keys, in unix seconds
-- ARGV[3..] the terms: field, value, and so on
-- Returns 1.
local sale, stock, buyers, released = unpack(KEYS, 1, 4)
local revision, expires_at = ARGV[1], ARGV[2]
redis.call("HSET", sale, "revision", revision, unpack(ARGV, 3))
redis.call("HDEL", sale, "narrowed")
for _, key in ipairs({sale, stock, buyers, released}) do
  redis.call("EXPIREAT", key, expires_at)
end
return 1
