-- Decide one claim: window, one per person, stock; queue the accepted order.
-- KEYS[1] hash: the sale: begins, ends (unix seconds)
-- KEYS[2] string: units left
-- KEYS[3] set: user ids of the buyers
-- KEYS[4] stream: accepted orders
-- ARGV[1] voucher id
-- ARGV[2] user id
-- ARGV[3] order id
-- Returns 0 accepted, 1 not started, 2 ended, 3 already bought, 4 sold out, 5 no such sale.
local sale, now = redis.call("HMGET", KEYS[1], "begins", "ends"), tonumber(redis.call("TIME")[1])
if not sale[1] then return 5 end
if now < tonumber(sale[1]) then return 1 end
if now >= tonumber(sale[2]) then return 2 end
if redis.call("SISMEMBER", KEYS[3], ARGV[2]) == 1 then return 3 end
if tonumber(redis.call("GET", KEYS[2])) <= 0 then return 4 end
redis.call("DECR", KEYS[2])
redis.call("SADD", KEYS[3], ARGV[2])
redis.call("XADD", KEYS[4], "*", "order", ARGV[3], "voucher", ARGV[1], "user", ARGV[2])
return 0
