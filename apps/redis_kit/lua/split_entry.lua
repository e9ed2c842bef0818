-- Put the parts of an entry into its stream as entries of their own, in the place of the whole.
-- KEYS[1] stream
-- ARGV[1] consumer group
-- ARGV[2] id of the entry
-- ARGV[3..] for each part: how many texts it has, then field, value, ...
-- Returns how many were added; none when the entry is gone: it was finished, or split before.
local stream, group, id = KEYS[1], ARGV[1], ARGV[2]

local added, at = 0, 3
if redis.call("XRANGE", stream, id, id)[1] then
  while ARGV[at] do
    local last = at + tonumber(ARGV[at])
    redis.call("XADD", stream, "*", unpack(ARGV, at + 1, last))
    added, at = added + 1, last + 1
  end
end
redis.call("XACK", stream, group, id)
redis.call("XDEL", stream, id)
return added
