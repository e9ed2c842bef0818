-- Note in a held sale that a web process has put back all that it had accepted.
-- KEYS[1] hash: the sale: state, epoch, handed_in
-- ARGV[1] epoch of the load that holds it
-- ARGV[2] name of the process, without spaces
-- Returns 1 when it is noted, 0 when this load isn't held.
local sale = KEYS[1]
local epoch, process = unpack(ARGV, 1, 2)
local state, own_epoch, noted = unpack(redis.call("HMGET", sale, "state", "epoch", "handed_in"))
if state ~= "recovering" or own_epoch ~= epoch then
  return 0
end
local names = " " .. (noted or "") .. " "
if not names:find(" " .. process .. " ", 1, true) then
  redis.call("HSET", sale, "handed_in", noted and noted .. " " .. process or process)
end
return 1
