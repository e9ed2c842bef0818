-- Read what must fit together of one sale, at one moment; buyers and released orders before.
-- KEYS[1] hash: the sale
-- KEYS[2] string: units left
-- KEYS[3] hash: buyers, user id (or "user id/piece") -> "order id:request token"
-- KEYS[4] hash: released orders, "user id:request token" -> order id
-- KEYS[5] stream: accepted orders of the sale's partition
-- Returns {field, value, ...} of the sale, stock or nil, {remaining seconds of KEYS[1] to
-- KEYS[4]}, server's unix seconds, {{entry id, {field, value, ...}}, ...}}; WRONGTYPE when a
-- key is of another type.
local lifetimes = {
  redis.call("TTL", KEYS[1]),
  redis.call("TTL", KEYS[2]),
  redis.call("TTL", KEYS[3]),
  redis.call("TTL", KEYS[4]),
}
return {
  redis.call("HGETALL", KEYS[1]),
  redis.call("GET", KEYS[2]),
  lifetimes,
  tonumber(redis.call("TIME")[1]),
  redis.call("XRANGE", KEYS[5], "-", "+"),
}
