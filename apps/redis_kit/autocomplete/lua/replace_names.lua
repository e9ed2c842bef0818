-- Let a filled index of names take the place of another one, in one step.
-- KEYS[1] hash: records of the filled index
-- KEYS[2] zset: its vocabulary
-- KEYS[3..] zset: its bands; then the keys of the other index, in the same order
-- Returns how many keys were moved.
local records, vocabulary = KEYS[1], KEYS[2]
local count, moved = #KEYS / 2, 0

-- UNLINK first: RENAME frees a large set in this thread.
local function move(source, target)
  redis.call("UNLINK", target)
  if redis.call("EXISTS", source) == 1 then
    redis.call("RENAME", source, target)
    moved = moved + 1
  end
end

move(records, KEYS[1 + count])
move(vocabulary, KEYS[2 + count])
for place = 3, count do
  move(KEYS[place], KEYS[place + count])
end
return moved
