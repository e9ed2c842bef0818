-- Decide claims on one sale or more, each by itself: window, one per person, stock; queue the accepted.
-- KEYS[1] hash: a sale: state, begins, ends (unix ms), epoch
-- KEYS[2] string: its units left
-- KEYS[3] hash: its buyers, user id -> "order id:request token"
-- KEYS[4] hash: its released orders, "user id:request token" -> order id
-- KEYS[5] hash: id clock of its partition: second, counter
-- KEYS[6] stream: accepted orders of its partition
-- KEYS[7..] hash: its partition's queued orders, order id -> "voucher:user:accepted unix ms"; then seven of another sale
-- ARGV[1] epoch of the ids, in unix seconds
-- ARGV[2] most orders of a partition that may be in flight
-- ARGV[3..] for each sale: voucher id, lane of its ids (the partition, 0 to 31), how many claims; their user ids, their request tokens
-- Returns two values a claim: an Outcome, then the order id as text (or "").
local NOT_READY, ACCEPTED, ALREADY_BOUGHT, NOT_STARTED, ENDED, SOLD_OUT, BUSY, NOT_FOUND = 0, 1, 2, 3, 4, 5, 6, 7
local function of_each_sale(place) local found = {} for key = place, #KEYS, 7 do found[#found + 1] = KEYS[key] end return unpack(found) end
local stocks, any_released, with_buyers = redis.call("MGET", of_each_sale(2)), redis.call("EXISTS", of_each_sale(4)) > 0, nil
local time, arg, answers, said, buys, queues, last, second, counter, room, taken = redis.call("TIME"), 3, {}, 0, {}, {}
local now = time[1] * 1000 + math.floor(time[2] / 1000) local at = string.format("%d", now)
for key = 1, #KEYS, 7 do
  local sale, stock, buyers, released, clock, orders, queued = unpack(KEYS, key, key + 6) local requests, fresh, sold = {}, {}, 0
  local voucher, lane, many = ARGV[arg], ARGV[arg + 1] + 0, ARGV[arg + 2] + 0 local users, tokens = arg + 2, arg + 2 + many arg = tokens + many + 1
  if clock ~= KEYS[key - 3] then -- Not that of the sale before. Sales of one partition share its clock and room: each counts on.
    local newest, in_flight, waiting = redis.pcall("HMGET", clock, "second", "counter"), redis.pcall("XLEN", orders), redis.pcall("HLEN", queued)
    last, counter, taken = tonumber(newest[1]) or 0, tonumber(newest[2]) or 0, 0
    -- A clock that was set back must not hand out the same second with the same counter again.
    second = math.max(time[1] - ARGV[1], last) if math.floor(second / 86400) > math.floor(last / 86400) then counter = 0 end
    room = not newest.err and type(in_flight) == "number" and type(waiting) == "number" and math.min(ARGV[2] - in_flight, 134217727 - counter)
  end
  -- Every key of a sale is read before its first write: one of a wrong type closes the gate and harms nothing.
  for place = 1, any_released and many or 0 do requests[place] = ARGV[users + place] .. ":" .. ARGV[tokens + place] end
  local rules, bought = redis.pcall("HMGET", sale, "state", "begins", "ends", "epoch"), redis.pcall("HMGET", buyers, unpack(ARGV, users + 1, tokens))
  local returned = any_released and redis.pcall("HMGET", released, unpack(requests)) or {}
  local begins, ends, units = tonumber(rules[2]), tonumber(rules[3]), tonumber((stocks[(key + 6) / 7] or ""):match("^%d+$"))
  local is_open = room and not bought.err and not returned.err and rules[1] == "open" and begins and (ends or 1e15) < 1e15 and (units or 1e15) < 1e15
  local closed, shut = (rules[1] == "absent" and NOT_FOUND) or (not is_open and NOT_READY), is_open and (now < begins and NOT_STARTED or now >= ends and ENDED)
  for place = 1, many do
    local user, token = ARGV[users + place], ARGV[tokens + place] local id, held, number, by = returned[place], fresh[user] or bought[place]
    if held then number, by = held:match("^(%d+):(.*)$") id = by == token and number or id end
    local outcome = closed or (id and ACCEPTED) or shut or (held and ALREADY_BOUGHT) or (sold >= units and SOLD_OUT) or (taken >= room and BUSY) or ACCEPTED
    if outcome == ACCEPTED and not id then
      sold, taken, counter = sold + 1, taken + 1, counter + 1
      -- second * 2^32 + counter * 32 + lane, in two parts: the sum passes what a Lua number holds exactly.
      local low = second * 967296 + counter * 32 + lane local last_six = low % 1e6
      id = string.format("%d%06d", second * 4294 + (low - last_six) / 1e6, last_six) fresh[user] = id .. ":" .. token
      buys[2 * sold - 1], buys[2 * sold], queues[2 * taken - 1], queues[2 * taken] = user, fresh[user], id, voucher .. ":" .. user .. ":" .. at
      redis.call("XADD", orders, "*", "v", "1", "order", id, "voucher", voucher, "user", user, "token", token, "at", at, "epoch", rules[4])
    end
    answers[said + 1], answers[said + 2], said = outcome, (outcome == ACCEPTED and id) or (outcome == ALREADY_BOUGHT and number) or "", said + 2
  end
  if sold > 0 then
    with_buyers = with_buyers or redis.call("EXISTS", of_each_sale(3))
    local added = redis.call("HSET", buyers, unpack(buys, 1, 2 * sold)) redis.call("DECRBY", stock, sold)
    -- Expiry that stands isn't written again: a sale's is moved with its window, the clock's once a second.
    if with_buyers < #stocks and added == redis.call("HLEN", buyers) then redis.call("PEXPIREAT", buyers, string.format("%d", ends + 604800000)) end
  end
  if taken > 0 and clock ~= KEYS[key + 11] then -- Not that of the next sale.
    redis.call("HSET", clock, "second", second, "counter", counter) redis.call("HSET", queued, unpack(queues, 1, 2 * taken))
    if second ~= last then redis.call("EXPIRE", clock, 172800) end
  end
end
return answers
