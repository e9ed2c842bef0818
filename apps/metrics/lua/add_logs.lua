-- Add log lines to the newest of their logger and severity, and messages to the most common.
-- KEYS[1] zset: lists of lines by the unix second of their newest line
-- KEYS[2] zset: messages of this hour by how often they came
-- KEYS[3] zset: messages of the last hour
-- KEYS[4] string: the hour of KEYS[2], in hours since 1970
-- KEYS[5..] list: the newest lines of a logger and severity, the newest first
-- ARGV[1] lines that a list keeps
-- ARGV[2] seconds that a list is kept after its last line
-- ARGV[3] lists that are kept
-- ARGV[4] messages of an hour that are kept
-- ARGV[5] seconds that messages are kept
-- ARGV[6..] of each list: name, number of lines, lines from old to new; of each message: it, number
-- Returns 1 added, -1 a key of another type.
local lists = KEYS[1]
local this_hour = KEYS[2]
local last_hour = KEYS[3]
local hour_key = KEYS[4]
local last_line = ARGV[1] - 1
local line_ttl = tonumber(ARGV[2])
local max_lists = ARGV[3]
local max_messages = ARGV[4]
local message_ttl = ARGV[5]
local FIRST_LIST = 5
local HOUR = 3600
local BROKEN = -1
local ADDED = 1
local TYPES = { "zset", "zset", "zset", "string" }

-- Check every type before the first write, so a key of a wrong type changes nothing.
for position, key in ipairs(KEYS) do
  local actual = redis.call("TYPE", key).ok
  if actual ~= (TYPES[position] or "list") and actual ~= "none" then
    return BROKEN
  end
end

-- The newest lines, and where to find them.
local now = tonumber(redis.call("TIME")[1])
local next_arg = 6
for position = FIRST_LIST, #KEYS do
  local lines = KEYS[position]
  redis.call("ZADD", lists, now, ARGV[next_arg])
  local first = next_arg + 2
  next_arg = first + ARGV[next_arg + 1]
  for index = first, next_arg - 1 do
    redis.call("LPUSH", lines, ARGV[index])
  end
  redis.call("LTRIM", lines, 0, last_line)
  redis.call("EXPIRE", lines, line_ttl)
end
redis.call("ZREMRANGEBYSCORE", lists, "-inf", now - line_ttl)
redis.call("ZREMRANGEBYRANK", lists, 0, -max_lists - 1)
redis.call("EXPIRE", lists, line_ttl)

-- When an hour has passed, its messages become those of the last.
local hour = math.floor(now / HOUR)
local began = tonumber(redis.call("GET", hour_key) or nil)
if began and began ~= hour then
  redis.call("DEL", last_hour)
  if began == hour - 1 and redis.call("EXISTS", this_hour) == 1 then
    redis.call("RENAME", this_hour, last_hour)
  end
  redis.call("DEL", this_hour)
end
redis.call("SET", hour_key, hour, "EX", message_ttl)

-- The most common messages: all other arguments.
for index = next_arg, #ARGV, 2 do
  redis.call("ZINCRBY", this_hour, ARGV[index + 1], ARGV[index])
end
redis.call("ZREMRANGEBYRANK", this_hour, 0, -max_messages - 1)
redis.call("EXPIRE", this_hour, message_ttl)
return ADDED
