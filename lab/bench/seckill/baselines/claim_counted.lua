-- Decide one claim of a known person: window, one per person, stock, order id; queue the accepted order.
-- KEYS[1] hash: the sale: begins, ends (unix seconds)
-- KEYS[2] string: units left
-- KEYS[3] set: user ids of the buyers
-- KEYS[4] string: counter of order ids
-- KEYS[5] stream: accepted orders
-- ARGV[1] voucher id
-- ARGV[2] user id
-- Returns an outcome (claim.lua's), then the order id as text.
local sale, now = redis.call("HMGET", KEYS[1], "begins", "ends"), tonumber(redis.call("TIME")[1])
if not sale[1] then return { 5, "" } end
if now < tonumber(sale[1]) then return { 1, "" } end
if now >= tonumber(sale[2]) then return { 2, "" } end
if redis.call("SISMEMBER", KEYS[3], ARGV[2]) == 1 then return { 3, "" } end
if tonumber(redis.call("GET", KEYS[2])) <= 0 then return { 4, "" } end
local order = string.format("%d%08d", now, redis.call("INCR", KEYS[4]) % 100000000)
redis.call("DECR", KEYS[2])
redis.call("SADD", KEYS[3], ARGV[2])
redis.call("XADD", KEYS[5], "*", "order", order, "voucher", ARGV[1], "user", ARGV[2])
return { 0, order }
