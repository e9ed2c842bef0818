-- Add notes to the inboxes that are there, and keep the newest of each: its floor rises over what must go.
-- KEYS[1..] zset: notes by the microsecond of their publication; the member "floor": all above its score are here,
--           below zero: the inbox is being filled since that microsecond
-- ARGV[1] notes that an inbox holds
-- ARGV[2] floor with which the filling began that ends here; empty: other notes, of one author
-- ARGV[3] microsecond up to which notes were left out here, 0 for none
-- ARGV[4] seconds that an inbox lives once it is filled
-- ARGV[5..] microsecond, note, and so on in turn
-- Returns the number of inboxes that have the notes.
local cap, filling, left_out, reached = tonumber(ARGV[1]), ARGV[2], ARGV[3], 0

local function raise(inbox, floor)
  -- Out of the way first: an inbox that lost its last member would lose its expiry with it.
  redis.call("ZADD", inbox, "+inf", "floor")
  redis.call("ZREMRANGEBYSCORE", inbox, "-inf", floor)
  redis.call("ZADD", inbox, floor, "floor")
  return floor
end

local function add(inbox, floor)
  for at = 5, #ARGV, 2 do
    if tonumber(ARGV[at]) > tonumber(floor) then
      redis.call("ZADD", inbox, ARGV[at], ARGV[at + 1])
    end
  end
  if filling ~= "" or tonumber(floor) >= 0 and tonumber(left_out) > tonumber(floor) then
    floor = raise(inbox, left_out)
  end
  local over = redis.call("ZCARD", inbox) - 1 - cap
  if over > 0 and tonumber(floor) >= 0 then
    -- The floor itself is the lowest member, so this is the highest that must go.
    raise(inbox, redis.call("ZRANGE", inbox, over, over, "WITHSCORES")[2])
  end
end

for _, inbox in ipairs(KEYS) do
  local floor = redis.call("ZSCORE", inbox, "floor")
  if floor and tonumber(floor) < 0 and filling == "" and tonumber(left_out) > 0 then
    -- Who fills it knows nothing of what was left out: the next reader begins again.
    redis.call("DEL", inbox)
  elseif floor and (filling == "" or filling == floor) then
    add(inbox, floor)
    reached = reached + 1
    if filling ~= "" then
      redis.call("EXPIRE", inbox, ARGV[4])
    end
  end
end
return reached
