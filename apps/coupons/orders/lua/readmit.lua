-- Put an accepted order back into the stream, under the same id, if a unit is left for it.
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
-- ARGV[6] signature of the claim
-- Returns an Outcome (0 not ready, 1 accepted, 2 the person holds another order, 5 sold out), and
-- the id of the order that the person holds (or "").
local NOT_READY, ACCEPTED, ALREADY_BOUGHT, SOLD_OUT = 0, 1, 2, 5
local sale_key, stock_key, buyers_key = KEYS[1], KEYS[2], KEYS[3]
local stream_key, queued_key = KEYS[4], KEYS[5]
local order_id, voucher_id, user_id = ARGV[1], ARGV[2], ARGV[3]
local request_token, accepted_at, signature = ARGV[4], ARGV[5], ARGV[6]

-- 1. Read every key before the first write, so a key of a wrong type changes nothing.
local rules = redis.call("HMGET", sale_key, "state", "epoch", "ends")
local stock = redis.call("GET", stock_key)
local owned = redis.call("HGET", buyers_key, user_id)
redis.call("XLEN", stream_key)
redis.call("HLEN", queued_key)

-- 2. Decide.
local is_held = rules[1] == "recovering"
if rules[1] ~= "open" and not is_held or not stock or not stock:find("^%d+$") then
  return {NOT_READY, ""}
end
if owned then
  local owned_id = owned:match("^(%d+):")
  return {owned_id == order_id and ACCEPTED or ALREADY_BOUGHT, owned_id}
end
if tonumber(stock) == 0 then
  return {SOLD_OUT, ""}
end

-- 3. Write: stock, buyer, queued order, stream. The buyers stay for a week after the sale's end.
local expires_at = string.format("%d", rules[3] + 604800000)
local queued_order = voucher_id .. ":" .. user_id .. ":" .. accepted_at
redis.call("DECR", stock_key)
if is_held then
  redis.call("HINCRBY", sale_key, "readmitted", 1)
end
redis.call("HSET", buyers_key, user_id, order_id .. ":" .. request_token)
redis.call("PEXPIREAT", buyers_key, expires_at)
redis.call("HSET", queued_key, order_id, queued_order)
redis.call(
  "XADD", stream_key, "*",
  "v", 1, "order", order_id, "voucher", voucher_id, "user", user_id,
  "token", request_token, "at", accepted_at, "epoch", rules[2],
  "signature", signature
)
return {ACCEPTED, order_id}
