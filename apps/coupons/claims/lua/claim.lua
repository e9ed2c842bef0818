-- Decide a batch of claims on one flash sale: window, limit of a person, stock. Queue the accepted.
-- KEYS[1] hash: the sale: state, epoch, server, and its terms
-- KEYS[2] string: its stock
-- KEYS[3] hash: its buyers, user id (or "user id/piece") -> "order id:request token"
-- KEYS[4] hash: its released orders, "user id:request token" -> order id
-- KEYS[5] hash: id clock of its partition: second, counter
-- KEYS[6] stream: accepted orders of its partition, an entry a call: v, voucher, at, epoch, and
-- orders: "order id:user id:request token:signature" (and ":piece", from the second one on), by
-- blanks
-- KEYS[7] hash: queued orders of its partition, order id -> "voucher:user:accepted unix ms"
-- ARGV[1] epoch of the order ids, in unix seconds
-- ARGV[2] how many orders of the partition may be in flight
-- ARGV[3] voucher id
-- ARGV[4] lane of the order ids: the partition, 0 to 31
-- ARGV[5] number of claims
-- ARGV[6..] the user ids of the claims, then their request tokens, then their signatures; last the
-- check-ins in a row of these people, where they are known
-- Returns two values a claim, an Outcome, then the order id as text (or "", or the check-ins that
-- are missing, with STREAK_TOO_SHORT); then the sale's epoch; and last how many one person may
-- have, where that is more than one. Another script that has this as a part also gets which claims
-- got a new order: {index = true}.
local NOT_READY, ACCEPTED, ALREADY_BOUGHT, NOT_STARTED = 0, 1, 2, 3
local ENDED, SOLD_OUT, BUSY, NOT_FOUND, STREAK_UNKNOWN, STREAK_TOO_SHORT = 4, 5, 6, 7, 8, 9
local DAY_SECONDS, CLOCK_TTL_SECONDS, RETENTION_MS = 86400, 172800, 604800000
local MAX_COUNTER, LIMIT, MAX_PER_PERSON = 134217727, 1e15, 20
local sale, stock, buyers, released, clock, orders, queued = unpack(KEYS, 1, 7)
local id_epoch, max_in_flight, voucher, lane, count = unpack(ARGV, 1, 5)
count = tonumber(count)
local users, tokens, signatures, streaks = 5, 5 + count, 5 + 2 * count, 5 + 3 * count

-- 1. Read every key before the first write: one of a wrong type closes the sale, changes nothing.
local time = redis.call("TIME")
local rules = read_rules({sale})
local units = redis.pcall("GET", stock)
-- A person's first coupon is at their id, the others at "id/1", "id/2" and so on: all first ones,
-- then all second ones.
local per_person = math.min(tonumber(rules.per_person) or 1, MAX_PER_PERSON)
local fields = {unpack(ARGV, users + 1, tokens)}
for piece = 1, per_person - 1 do
  for index = 1, count do
    fields[piece * count + index] = ARGV[users + index] .. "/" .. piece
  end
end
local bought = redis.pcall("HMGET", buyers, unpack(fields))
local returned = {}
if redis.call("EXISTS", released) == 1 then
  local requests = {}
  for index = 1, count do
    requests[index] = ARGV[users + index] .. ":" .. ARGV[tokens + index]
  end
  returned = redis.pcall("HMGET", released, unpack(requests))
end
local newest = redis.pcall("HMGET", clock, "second", "counter")
local waiting = redis.pcall("HLEN", queued)
local in_flight = redis.pcall("XLEN", orders)

local now = time[1] * 1000 + math.floor(time[2] / 1000)
local begins, ends = tonumber(rules.begins), tonumber(rules.ends)
local left = type(units) == "string" and units:find("^%d+$") and tonumber(units) or LIMIT
-- A server that was restarted, promoted or given another copy may be older than what was promised.
local run_id = "run_id:" .. (rules.server or "") .. "\r\n"
local is_open = rules.state == "open" and redis.call("INFO", "server"):find(run_id, 1, true)
local is_sale = is_open and begins and (ends or LIMIT) < LIMIT and left < LIMIT
local has_buyers = not bought.err and not returned.err
local has_queue = not newest.err and type(in_flight) == "number" and type(waiting) == "number"

-- 2. Decide each claim. A repeated request gets the answer that its first one got.
local answers = {}
local function answer(outcome, order_id)
  answers[#answers + 1] = outcome
  answers[#answers + 1] = order_id or ""
end

if not (is_sale and has_buyers and has_queue) then
  for _ = 1, count do
    answer(rules.state == "absent" and NOT_FOUND or NOT_READY)
  end
  answers[#answers + 1] = 0
  return answers, {}
end

-- A clock that was set back must not hand out the same second with the same counter again.
local last_second = tonumber(newest[1]) or 0
local second = math.max(time[1] - id_epoch, last_second)
local is_new_day = math.floor(second / DAY_SECONDS) > math.floor(last_second / DAY_SECONDS)
local counter = is_new_day and 0 or tonumber(newest[2]) or 0
-- Entries are fewer than orders, unless somebody else writes into the stream.
local room = math.min(max_in_flight - math.max(waiting, in_flight), MAX_COUNTER - counter)

-- second * 2^32 + counter * 32 + lane, in two parts: the sum passes what a Lua number holds.
local function next_order_id()
  counter = counter + 1
  local low = second * 967296 + counter * 32 + lane
  local last_six = low % 1e6
  return string.format("%d%06d", second * 4294 + (low - last_six) / 1e6, last_six)
end

local closed = now < begins and NOT_STARTED or now >= ends and ENDED
local days, accepted, is_new, owned_now, sold = tonumber(rules.streak_days) or 0, {}, {}, {}, 0
for index = 1, count do
  local user, token = ARGV[users + index], ARGV[tokens + index]
  local free, repeated, owned_id, owned_token
  for place = index, #fields, count do
    local owned = owned_now[fields[place]] or bought[place]
    if owned then
      owned_id, owned_token = owned:match("^(%d+):(.*)$")
      repeated = repeated or owned_token == token and owned_id
    else
      free = free or place
    end
  end
  if repeated then
    answer(ACCEPTED, repeated)
  elseif returned[index] then
    answer(ACCEPTED, returned[index])
  elseif closed then
    answer(closed)
  elseif not free then
    answer(ALREADY_BOUGHT, owned_id)
  elseif sold >= left then
    answer(SOLD_OUT)
  elseif sold >= room then
    answer(BUSY)
  elseif days > 0 and not ARGV[streaks + index] then
    answer(STREAK_UNKNOWN)
  elseif days > 0 and tonumber(ARGV[streaks + index]) < days then
    answer(STREAK_TOO_SHORT, days - ARGV[streaks + index])
  else
    local order_id = next_order_id()
    sold, is_new[index] = sold + 1, true
    accepted[sold] = {order_id, user, token, ARGV[signatures + index], free, (free - index) / count}
    owned_now[fields[free]] = order_id .. ":" .. token
    answer(ACCEPTED, order_id)
  end
end

-- 3. Write what was decided: orders, buyers, stock, id clock.
if sold > 0 then
  local accepted_at = string.format("%d", now)
  local entry, new_buyers, new_orders = {}, {}, {}
  for index, order in ipairs(accepted) do
    local order_id, user, token, signature, place, piece = unpack(order)
    entry[index] = order_id .. ":" .. user .. ":" .. token .. ":" .. signature ..
      (piece > 0 and ":" .. piece or "")
    new_buyers[2 * index - 1] = fields[place]
    new_buyers[2 * index] = owned_now[fields[place]]
    new_orders[2 * index - 1] = order_id
    new_orders[2 * index] = voucher .. ":" .. user .. ":" .. accepted_at
  end
  redis.call("XADD", orders, "*", "v", "2", "voucher", voucher, "at", accepted_at,
    "epoch", rules.epoch, "orders", table.concat(entry, " "))
  redis.call("HSET", queued, unpack(new_orders))
  redis.call("DECRBY", stock, sold)
  -- Only the first buyers need an expiry: it moves with the window from then on.
  if redis.call("HSET", buyers, unpack(new_buyers)) == redis.call("HLEN", buyers) then
    redis.call("PEXPIREAT", buyers, string.format("%d", ends + RETENTION_MS))
  end
  redis.call("HSET", clock, "second", second, "counter", counter)
  if second ~= last_second then
    redis.call("EXPIRE", clock, CLOCK_TTL_SECONDS)
  end
end
answers[#answers + 1] = tonumber(rules.epoch) or 0
if per_person > 1 then
  answers[#answers + 1] = per_person
end
return answers, is_new
