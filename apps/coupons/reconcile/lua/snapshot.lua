-- Read everything that Redis holds of one sale, at one moment.
-- KEYS[1] hash: sale, "state" among its fields
-- KEYS[2] string: units left
-- KEYS[3] hash: buyers, user id -> "order id:request token"
-- KEYS[4] stream: accepted orders of the sale's partition
-- Returns {state or nil, stock or nil, {user, buyer, ...}, {{entry id, {field, value, ...}}, ...}};
-- WRONGTYPE when a key is of another type.
return {
  redis.call("HGET", KEYS[1], "state"),
  redis.call("GET", KEYS[2]),
  redis.call("HGETALL", KEYS[3]),
  redis.call("XRANGE", KEYS[4], "-", "+"),
}
