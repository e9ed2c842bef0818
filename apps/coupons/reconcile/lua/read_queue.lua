-- Read the queue of a partition at one moment.
-- KEYS[1] stream: accepted orders
-- KEYS[2] hash: queued orders, order id -> "voucher:user:accepted unix ms"
-- KEYS[3] hash: id clock: second, counter
-- Returns {{{entry id, {field, value, ...}}, ...}, {order, queued, ...}, second or nil,
-- counter or nil}.
return {
  redis.call("XRANGE", KEYS[1], "-", "+"),
  redis.call("HGETALL", KEYS[2]),
  redis.call("HGET", KEYS[3], "second"),
  redis.call("HGET", KEYS[3], "counter"),
}
