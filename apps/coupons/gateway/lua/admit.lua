-- Decide claims on one sale in one call: log-in, limit, claim; charge those without a new order.
-- KEYS[1..] string: the hot copy of each claim's log-in, its person's hits; then claim.lua's keys
-- ARGV[1] resolve_token.lua's arguments: expiry of a copy, in seconds
-- ARGV[2] how often the expiry slides, in seconds
-- ARGV[3] how often SQL is renewed, in seconds
-- ARGV[4] hit_limits.lua's arguments: cost of an attempt, in hits
-- ARGV[5] 0: the limit is looked at, and charged after the decision
-- ARGV[6] hits allowed
-- ARGV[7] their period, in milliseconds
-- ARGV[8] claim.lua's arguments: epoch of the order ids, in unix seconds
-- ARGV[9] how many orders of the partition may be in flight
-- ARGV[10] voucher id
-- ARGV[11] lane of the order ids
-- ARGV[12] number of claims
-- ARGV[13..] the user ids that the log-ins' tokens name, the request tokens, their signatures
-- Returns the indexes, from 1, of log-ins that aren't live; resolve_token.lua's values of these;
-- hit_limits.lua's answer about the others; claim.lua's answer about those that the limit allows;
-- an index and a token id for each live log-in whose use SQL has to hear of.
local id_epoch, max_in_flight, voucher, lane, count = unpack(ARGV, 8, 12)
count = tonumber(count)
local sale_keys = {unpack(KEYS, 2 * count + 1)}
local users, tokens, signatures = 12, 12 + count, 12 + 2 * count

-- 1. Log-ins. One whose use SQL has to hear of (0 for due) is as live as any.
local copies = resolve_token({unpack(KEYS, 1, count)}, {unpack(ARGV, 1, 3)})
local unresolved, states, live, hits, due = {}, {}, {}, {}, {}
for index = 1, count do
  local copy = copies[index]
  local user, token, first = string.match(copy or "", "^(%d+):(%d+):(%d)")
  if user == ARGV[users + index] then
    live[#live + 1] = index
    hits[#hits + 1] = KEYS[count + index]
    if first == "0" then
      due[#due + 1] = index
      due[#due + 1] = token
    end
  else
    unresolved[#unresolved + 1] = index
    states[#unresolved] = user and "gone" or copy
  end
end

-- 2. The limit of each person. Its answer counts from 1 among the live.
local refusals, charge = {}, nil
if #hits > 0 then
  refusals, charge = hit_limits(hits, {unpack(ARGV, 4, 7)})
end
if refusals.err then
  return refusals
end
local refused = {}
for position = 1, #refusals, 3 do
  refused[refusals[position]] = true
end

-- 3. The claims that are left, and the charge of those that got no new order.
local allowed, numbers = {}, {}
for number, index in ipairs(live) do
  if not refused[number] then
    allowed[#allowed + 1] = index
    numbers[#allowed] = number
  end
end
if #allowed == 0 then
  return {unresolved, states, refusals, {}, due}
end
local claims = {id_epoch, max_in_flight, voucher, lane, #allowed}
for _, offset in ipairs({users, tokens, signatures}) do
  for _, index in ipairs(allowed) do
    claims[#claims + 1] = ARGV[offset + index]
  end
end
local decided, is_new = claim(sale_keys, claims)
local charged = {}
for position, number in ipairs(numbers) do
  if not is_new[position] then
    charged[#charged + 1] = number
  end
end
if #charged > 0 then
  charge(charged)
end
return {unresolved, states, refusals, decided, due}
