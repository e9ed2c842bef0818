-- Decide a batch of claims on one sale, each by itself: window, one per person, stock; queue the accepted.
-- KEYS[1] hash: the sale: state, begins, ends (unix ms), epoch
-- KEYS[2] string: units left
-- KEYS[3] hash: buyers, user id -> "order id:request token"
-- KEYS[4] hash: released orders, "user id:request token" -> order id
-- KEYS[5] hash: id clock of the partition: second, counter
-- KEYS[6] stream: accepted orders
-- KEYS[7] hash: queued orders, order id -> "voucher:user:accepted unix ms"
-- ARGV[1] voucher id
-- ARGV[2] epoch of the ids, in unix seconds
-- ARGV[3] lane of the ids (the partition), 0 to 31
-- ARGV[4] most orders that may be in flight
-- ARGV[5..] for each claim: user id, then request token
-- Returns two values a claim: an Outcome, then the order id as text (or "").
local NOT_READY, ACCEPTED, ALREADY_BOUGHT, NOT_STARTED, ENDED, SOLD_OUT, BUSY, NOT_FOUND = 0, 1, 2, 3, 4, 5, 6, 7
-- Every key is read before the first write: one of a wrong type closes the gate and harms nothing.
local users, requests = {}, {} for i = 5, #ARGV, 2 do users[#users + 1], requests[#requests + 1] = ARGV[i], ARGV[i] .. ":" .. ARGV[i + 1] end
local sale, stock = redis.pcall("HMGET", KEYS[1], "state", "begins", "ends", "epoch"), redis.pcall("GET", KEYS[2])
local bought, released = redis.pcall("HMGET", KEYS[3], unpack(users)), redis.pcall("HMGET", KEYS[4], unpack(requests))
local clock, in_flight = redis.pcall("HMGET", KEYS[5], "second", "counter"), redis.pcall("XLEN", KEYS[6])
local begins, ends, units = tonumber(sale[2]), tonumber(sale[3]), tonumber(type(stock) == "string" and #stock < 16 and stock:match("^%d+$") or nil)
local gate = (sale[1] == "absent" and NOT_FOUND) or (sale[1] == "open" and begins and ends and units and ACCEPTED) or NOT_READY
for _, read in ipairs({ bought, released, clock, in_flight, redis.pcall("HLEN", KEYS[7]) }) do if type(read) == "table" and read.err then gate = NOT_READY end end
local now = redis.call("TIME") local at = string.format("%d", now[1] * 1000 + math.floor(now[2] / 1000))
-- A clock that was set back must not hand out the same second with the same counter again.
local second, counter = math.max(now[1] - ARGV[2], tonumber(clock[1]) or 0), tonumber(clock[2]) or 0
if math.floor(second / 86400) > math.floor((tonumber(clock[1]) or 0) / 86400) then counter = 0 end
-- second * 2^32 + counter * 32 + lane in limbs of a million: the sum passes what a Lua number holds exactly.
local function order_id(counter)
  local high, low = math.floor(second / 1e6), second % 1e6 local first = low * 967296 + counter * 32 + ARGV[3]
  local middle = high * 967296 + low * 4294 + math.floor(first / 1e6)
  return string.format("%d%06d%06d", high * 4294 + math.floor(middle / 1e6), middle % 1e6, first % 1e6)
end
local open, fresh, buyers, queued, answers = gate == ACCEPTED, {}, {}, {}, {}
for place, user in ipairs(users) do
  local token, outcome, held, id, by, before = ARGV[4 + 2 * place], gate, nil, "", nil, nil
  if open then
    held = fresh[user] or bought[place]
    id, by = string.match(held or "", "^(%d+):(.*)$")
    before = by == token and id or released[place]
    outcome = (before and ACCEPTED) or (tonumber(at) < begins and NOT_STARTED) or (tonumber(at) >= ends and ENDED)
      or (held and ALREADY_BOUGHT) or (units == 0 and SOLD_OUT) or ((in_flight >= tonumber(ARGV[4]) or counter >= 134217727) and BUSY) or ACCEPTED
  end
  if outcome == ACCEPTED and not before then
    units, counter, in_flight = units - 1, counter + 1, in_flight + 1
    id = order_id(counter) fresh[user] = id .. ":" .. token
    buyers[#buyers + 1], buyers[#buyers + 2] = user, fresh[user]
    queued[#queued + 1], queued[#queued + 2] = id, ARGV[1] .. ":" .. user .. ":" .. at
    redis.call("XADD", KEYS[6], "*", "v", 1, "order", id, "voucher", ARGV[1], "user", user, "token", token, "at", at, "epoch", sale[4])
  end
  answers[#answers + 1], answers[#answers + 2] = outcome, (outcome == ACCEPTED or outcome == ALREADY_BOUGHT) and (before or id) or ""
end
if #buyers > 0 then
  redis.call("DECRBY", KEYS[2], #buyers / 2) redis.call("HSET", KEYS[5], "second", second, "counter", counter) redis.call("HSET", KEYS[7], unpack(queued))
  -- Expiry that stands isn't written again: a sale's is moved with its window, the clock's once a second.
  local is_first = redis.call("HSET", KEYS[3], unpack(buyers)) == redis.call("HLEN", KEYS[3])
  if is_first then redis.call("PEXPIREAT", KEYS[3], string.format("%d", ends + 604800000)) end
  if second ~= tonumber(clock[1]) then redis.call("EXPIRE", KEYS[5], 172800) end
end
return answers
