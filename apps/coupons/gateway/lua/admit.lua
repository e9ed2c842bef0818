-- Put three questions of claims in one call: does the log-in hold, may its person try, does the person get a unit.
-- KEYS[1..] string: hot copies of the log-ins, then hits under the limit, one of each a claim; then claim.lua's keys
-- ARGV[1] how many claims; they stand in the order of claim.lua
-- ARGV[2] resolve_token.lua's arguments: expiry of a copy, in seconds
-- ARGV[3] how often the expiry slides, in seconds
-- ARGV[4] how often SQL is renewed, in seconds
-- ARGV[5] hit_limits.lua's: cost of an attempt, in hits
-- ARGV[6] 1 to charge
-- ARGV[7] hits allowed
-- ARGV[8] their period, in milliseconds
-- ARGV[9..] claim.lua's; the persons in them are those whom the log-ins name
-- Returns the places, from 1, of log-ins that don't do, and what resolve_token.lua says of these; what hit_limits.lua
-- says of the others; what claim.lua says of those whom that allows.
local many, first = ARGV[1] + 0, 11
local copies = resolve_token({unpack(KEYS, 1, many)}, {ARGV[2], ARGV[3], ARGV[4]})

local not_in, said, is_in, limits, place, arg = {}, {}, {}, {}, 0, first
while place < many do
  local users, of_sale = arg + 2, ARGV[arg + 2] + 0
  for each = 1, of_sale do
    place = place + 1
    local copy = copies[place]
    -- Whom a copy stands for, unless SQL has to hear of it first.
    local user = copy and string.match(copy, "^(%d+):%d+:[1-9]")
    if user == ARGV[users + each] then
      is_in[place], limits[#limits + 1] = true, KEYS[many + place]
    else
      not_in[#not_in + 1], said[#said + 1] = place, user and "gone" or copy
    end
  end
  arg = users + 2 * of_sale + 1
end

local refusals = #limits > 0 and hit_limits(limits, {ARGV[5], ARGV[6], ARGV[7], ARGV[8]}) or {}
if refusals.err then return refusals end
if #limits == many and #refusals == 0 then
  return {not_in, said, refusals, claim({unpack(KEYS, 2 * many + 1)}, {unpack(ARGV, 9)})}
end

local refused, number, sales, asked = {}, 0, {}, {ARGV[9], ARGV[10]}
for each = 1, #refusals, 3 do refused[refusals[each]] = true end
place, arg = 0, first
for key = 2 * many + 1, #KEYS, 7 do
  local users, of_sale, let_in = arg + 2, ARGV[arg + 2] + 0, {}
  for each = 1, of_sale do
    place = place + 1
    if is_in[place] then number = number + 1 end
    if is_in[place] and not refused[number] then let_in[#let_in + 1] = each end
  end
  if #let_in > 0 then
    for each = key, key + 6 do sales[#sales + 1] = KEYS[each] end
    for _, word in ipairs({ARGV[arg], ARGV[arg + 1], #let_in}) do asked[#asked + 1] = word end
    for _, each in ipairs(let_in) do asked[#asked + 1] = ARGV[users + each] end
    for _, each in ipairs(let_in) do asked[#asked + 1] = ARGV[users + of_sale + each] end
  end
  arg = users + 2 * of_sale + 1
end
return {not_in, said, refusals, #sales > 0 and claim(sales, asked) or {}}
