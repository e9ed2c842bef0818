-- The sale in wrk: one claim after another, each by the next line of the file of tokens.
--   TOKENS=tokens.txt VOUCHER=17 wrk -t1 -c64 -d10s -s lab/load/tools/sale.lua http://127.0.0.1:8000
-- One thread: a second one would begin with the same people. wrk calls every 4xx an error; `answers` counts by code.
local tokens, turn, answers = {}, 0, {}
local file = assert(os.getenv("TOKENS"), "TOKENS names the file of tokens")
local voucher = assert(os.getenv("VOUCHER"), "VOUCHER is the sale's number")
for line in io.lines(file) do
  tokens[#tokens + 1] = line
end
local path = "/api/vouchers/" .. voucher .. "/seckill"
local run = os.time()
codes = ""

function setup(thread)
  reporter = thread
end

function request()
  turn = turn + 1
  local token = tokens[(turn - 1) % #tokens + 1]
  local headers = { Authorization = "Bearer " .. token, ["Idempotency-Key"] = "wrk-" .. run .. "-" .. turn }
  return wrk.format("POST", path, headers)
end

function response(status)
  answers[status] = (answers[status] or 0) + 1
  local list = {}
  for code, count in pairs(answers) do
    list[#list + 1] = code .. "=" .. count
  end
  table.sort(list)
  codes = table.concat(list, " ")
end

function done()
  io.write("answers: ", reporter:get("codes"), "\n")
end
