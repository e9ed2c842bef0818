-- Decide one claim, with everything it needs: whose token, window, one per person, stock, order id; queue the order.
-- KEYS[1] hash: the log-in: user
-- KEYS[2] hash: the sale: begins, ends (unix seconds)
-- KEYS[3] string: units left
-- KEYS[4] set: user ids of the buyers
-- KEYS[5] string: counter of order ids
-- KEYS[6] stream: accepted orders
-- ARGV[1] voucher id
-- Returns an outcome (claim.lua's, or 6 not logged in), then the order id as text.
local user = redis.call("HGET", KEYS[1], "user")
if not user then return { 6, "" } end
local sale, now = redis.call("HMGET", KEYS[2], "begins", "ends"), tonumber(redis.call("TIME")[1])
if not sale[1] then return { 5, "" } end
if now < tonumber(sale[1]) then return { 1, "" } end
if now >= tonumber(sale[2]) then return { 2, "" } end
if redis.call("SISMEMBER", KEYS[4], user) == 1 then return { 3, "" } end
if tonumber(redis.call("GET", KEYS[3])) <= 0 then return { 4, "" } end
local order = string.format("%d%08d", now, redis.call("INCR", KEYS[5]) % 100000000)
redis.call("DECR", KEYS[3])
redis.call("SADD", KEYS[4], user)
redis.call("XADD", KEYS[6], "*", "order", order, "voucher", ARGV[1], "user", user)
return { 0, order }
