-- Put an accepted order back into the stream, under the same id, if a unit is left for it.
-- KEYS[1] hash: the sale: state, epoch, ends, per_person
-- KEYS[2] string: units left
-- KEYS[3] hash: buyers, user id (or "user id/piece") -> "order id:request token"
-- KEYS[4] stream: accepted orders
-- KEYS[5] hash: queued orders, order id -> "voucher:user:accepted unix ms"
-- ARGV[1] order id
-- ARGV[2] voucher id
-- ARGV[3] user id
-- ARGV[4] request token
-- ARGV[5] accepted, in unix ms
-- ARGV[6] signature of the claim
-- ARGV[7] "1": the stream has lost its entry, so add one also where the person holds the order
-- Returns an Outcome (0 not ready, 1 accepted, 2 the person holds an order of the same request, or
-- as many as one may have, 5 sold out), the id of the order that the person holds (or ""), and how
-- many one person may have.
local NOT_READY, ACCEPTED, ALREADY_BOUGHT, SOLD_OUT = 0, 1, 2, 5
local MAX_PER_PERSON = 20
local sale_key, stock_key, buyers_key = KEYS[1], KEYS[2], KEYS[3]
local stream_key, queued_key = KEYS[4], KEYS[5]
local order_id, voucher_id, user_id = ARGV[1], ARGV[2], ARGV[3]
local request_token, accepted_at, signature = ARGV[4], ARGV[5], ARGV[6]
local is_entry_lost = ARGV[7] == "1"

-- 1. Read every key before the first write, so a key of a wrong type changes nothing.
local rules = redis.call("HMGET", sale_key, "state", "epoch", "ends", "per_person")
local stock = redis.call("GET", stock_key)
local per_person = math.min(tonumber(rules[4] or nil) or 1, MAX_PER_PERSON)
local fields = {user_id}
for piece = 1, per_person - 1 do
  fields[piece + 1] = user_id .. "/" .. piece
end
local bought = redis.call("HMGET", buyers_key, unpack(fields))
redis.call("XLEN", stream_key)
redis.call("HLEN", queued_key)

-- 2. Decide.
local is_held = rules[1] == "recovering"
if rules[1] ~= "open" and not is_held or not stock or not stock:find("^%d+$") then
  return {NOT_READY, "", per_person}
end
-- An order is known by its id: any free place will do, also another than it had.
local free, own, owned_id, owned_token
for place, owned in ipairs(bought) do
  if owned then
    owned_id, owned_token = owned:match("^(%d+):(.*)$")
    if owned_id == order_id and not is_entry_lost then
      return {ACCEPTED, order_id, per_person}
    elseif owned_id == order_id then
      own = place
    elseif owned_token == request_token then
      return {ALREADY_BOUGHT, owned_id, 1}
    end
  else
    free = free or place
  end
end
if not (own or free) then
  return {ALREADY_BOUGHT, owned_id or "", per_person}
end
if not own and tonumber(stock) == 0 then
  return {SOLD_OUT, "", per_person}
end

-- 3. Write: stock, buyer, queued order, stream. The buyers stay for a week after the sale's end.
local expires_at = string.format("%d", rules[3] + 604800000)
local queued_order = voucher_id .. ":" .. user_id .. ":" .. accepted_at
local place = own or free
if not own then
  redis.call("DECR", stock_key)
  if is_held then
    redis.call("HINCRBY", sale_key, "readmitted", 1)
  end
  redis.call("HSET", buyers_key, fields[place], order_id .. ":" .. request_token)
  redis.call("PEXPIREAT", buyers_key, expires_at)
end
redis.call("HSET", queued_key, order_id, queued_order)
redis.call(
  "XADD", stream_key, "*",
  "v", 1, "order", order_id, "voucher", voucher_id, "user", user_id,
  "token", request_token, "at", accepted_at, "epoch", rules[2],
  "signature", signature, unpack(place > 1 and {"piece", place - 1} or {})
)
return {ACCEPTED, order_id, per_person}
