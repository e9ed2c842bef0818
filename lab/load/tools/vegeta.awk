# Targets of vegeta: one claim for each line of the file of tokens, with a new key each.
#   awk -v url=http://127.0.0.1:8000 -v voucher=17 -f lab/load/tools/vegeta.awk tokens.txt > targets.txt
#   vegeta attack -targets=targets.txt -rate=500 -duration=10s | vegeta report
BEGIN { srand(); run = srand() }
{
  printf "POST %s/api/vouchers/%s/seckill\n", url, voucher
  printf "Authorization: Bearer %s\n", $1
  printf "Idempotency-Key: vegeta-%d-%d\n\n", run, NR
}
