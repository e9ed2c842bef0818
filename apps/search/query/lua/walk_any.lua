-- Find the best documents that have any of some terms, without reading the lists to their ends.
-- KEYS[1..] zset: documents with a term by weight
-- ARGV[1] number of documents wanted
-- ARGV[2..] idf of each term, a factor of the weights
-- Returns member and score in turn, the best first; of equal scores the higher member first.
local wanted = tonumber(ARGV[1])
local lists = #KEYS
local BLOCK = 64
-- Sums of the same weights in another order differ by less; of such ties all are compared.
local EPSILON = 1e-9

local idf = {}
local offset = {}
local highest = {}
for list = 1, lists do
  idf[list] = tonumber(ARGV[1 + list])
  offset[list] = 0
  local first = redis.call("ZREVRANGE", KEYS[list], 0, 0, "WITHSCORES")
  highest[list] = first[2] and tonumber(first[2]) * idf[list] or 0
end

-- The best so far, in order; `scores[wanted]` is the score to beat.
local members = {}
local scores = {}
local seen = {}
local function insert(member, score)
  local place = #members + 1
  while place > 1 and (scores[place - 1] < score
      or (scores[place - 1] == score and members[place - 1] < member)) do
    place = place - 1
  end
  if place <= wanted then
    table.insert(members, place, member)
    table.insert(scores, place, score)
    members[wanted + 1] = nil
    scores[wanted + 1] = nil
  end
end

-- What a document that no list has shown yet can reach at most, and the list that promises most.
local function look_ahead()
  local bound = 0
  local best = 1
  for list = 1, lists do
    bound = bound + highest[list]
    if highest[list] > highest[best] then
      best = list
    end
  end
  return bound, best
end

-- Read the next block of a list; its new documents get their weights of all lists.
local function read_block(list)
  local last = offset[list] + BLOCK - 1
  local block = redis.call("ZREVRANGE", KEYS[list], offset[list], last, "WITHSCORES")
  offset[list] = offset[list] + BLOCK
  local fresh = {}
  local totals = {}
  for at = 1, #block, 2 do
    if not seen[block[at]] then
      seen[block[at]] = true
      fresh[#fresh + 1] = block[at]
      totals[#totals + 1] = tonumber(block[at + 1]) * idf[list]
    end
  end
  if #block < 2 * BLOCK then
    highest[list] = 0
  else
    highest[list] = tonumber(block[#block]) * idf[list]
  end
  if #fresh == 0 then
    return
  end
  for other = 1, lists do
    if other ~= list then
      local weights = redis.call("ZMSCORE", KEYS[other], unpack(fresh))
      for at = 1, #fresh do
        if weights[at] then
          totals[at] = totals[at] + tonumber(weights[at]) * idf[other]
        end
      end
    end
  end
  for at = 1, #fresh do
    insert(fresh[at], totals[at])
  end
end

-- Stop when the last wanted document, and not merely the best, can't be reached any more.
local bound, best = look_ahead()
while bound > 0 and (not scores[wanted] or bound >= scores[wanted] - EPSILON) do
  read_block(best)
  bound, best = look_ahead()
end

local found = {}
for at = 1, #members do
  found[#found + 1] = members[at]
  found[#found + 1] = string.format("%.17g", scores[at])
end
return found
