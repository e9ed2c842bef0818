-- Put a dead-lettered order back on its way to SQL, under the same order id, if a unit is left for it.
-- KEYS[1] hash: the sale: state, epoch, ends
-- KEYS[2] string: units left
-- KEYS[3] hash: buyers, user id -> "order id:request token"
-- KEYS[4] stream: accepted orders
-- KEYS[5] hash: queued orders, order id -> "voucher:user:accepted unix ms"
-- ARGV[1] order id
-- ARGV[2] voucher id
-- ARGV[3] user id
-- ARGV[4] request token
-- ARGV[5] accepted, in unix ms
-- Returns an Outcome: 0 not ready, 1 accepted, 2 the person holds another order, 5 sold out.
local NOT_READY, ACCEPTED, ALREADY_BOUGHT, SOLD_OUT = 0, 1, 2, 5
local sale, stock = redis.call("HMGET", KEYS[1], "state", "epoch", "ends"), redis.call("GET", KEYS[2])
local held = redis.call("HGET", KEYS[3], ARGV[3])
redis.call("XLEN", KEYS[4])
redis.call("HLEN", KEYS[5])
if sale[1] ~= "open" or not stock or not stock:find("^%d+$") then return NOT_READY end
if held then return held:match("^(%d+):") == ARGV[1] and ACCEPTED or ALREADY_BOUGHT end
if tonumber(stock) == 0 then return SOLD_OUT end

redis.call("DECR", KEYS[2])
redis.call("HSET", KEYS[3], ARGV[3], ARGV[1] .. ":" .. ARGV[4])
redis.call("PEXPIREAT", KEYS[3], string.format("%d", sale[3] + 604800000))
redis.call("HSET", KEYS[5], ARGV[1], ARGV[2] .. ":" .. ARGV[3] .. ":" .. ARGV[5])
redis.call("XADD", KEYS[4], "*", "v", 1, "order", ARGV[1], "voucher", ARGV[2], "user", ARGV[3], "token", ARGV[4], "at", ARGV[5], "epoch", sale[2])
return ACCEPTED
