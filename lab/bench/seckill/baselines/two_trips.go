// The sale in Go, with net/http and redigo, in two round trips: the token, then a script.
// Environment: PORT; REDIS_URL (redis:// or unix://); SCRIPT, the path of claim_counted.lua.
package main

import (
	"encoding/json"
	"log"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/gomodule/redigo/redis"
)

// As many as the comparison has concurrent requests, so that no request waits for a connection.
const connections = 64

const prefix, suffix, bearer = "/api/vouchers/", "/seckill", "Bearer "

type refusal struct {
	status int
	code   string
}

var refusals = map[int64]refusal{
	1: {http.StatusConflict, "not_started"},
	2: {http.StatusConflict, "ended"},
	3: {http.StatusConflict, "already_bought"},
	4: {http.StatusConflict, "sold_out"},
	5: {http.StatusNotFound, "not_found"},
	6: {http.StatusUnauthorized, "not_logged_in"},
}

type shop struct {
	pool  *redis.Pool
	claim *redis.Script
}

func main() {
	text, err := os.ReadFile(os.Getenv("SCRIPT"))
	if err != nil {
		log.Fatal(err)
	}
	pool := &redis.Pool{MaxIdle: connections, MaxActive: connections, Wait: true, Dial: dial}
	http.Handle(prefix, &shop{pool, redis.NewScript(5, string(text))})
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
}

func dial() (redis.Conn, error) {
	where, err := url.Parse(os.Getenv("REDIS_URL"))
	if err != nil {
		return nil, err
	}
	if where.Scheme == "unix" {
		return redis.Dial("unix", where.Path)
	}
	return redis.DialURL(where.String())
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	voucher := strings.TrimSuffix(strings.TrimPrefix(r.URL.Path, prefix), suffix)
	outcome, order, err := s.decide(voucher, strings.TrimPrefix(r.Header.Get("Authorization"), bearer))
	if err != nil {
		answer(w, http.StatusInternalServerError, map[string]string{"code": "failed"})
		log.Print(err)
	} else if refused, ok := refusals[outcome]; ok {
		answer(w, refused.status, map[string]string{"code": refused.code})
	} else {
		answer(w, http.StatusCreated, map[string]string{"order_id": order})
	}
}

// The outcome of a claim, and the id of its order if it was accepted.
func (s *shop) decide(voucher, token string) (int64, string, error) {
	store := s.pool.Get()
	defer store.Close()
	user, err := redis.String(store.Do("HGET", "baseline:token:"+token, "user"))
	if err == redis.ErrNil {
		return 6, "", nil
	}
	if err != nil {
		return 0, "", err
	}
	said, err := redis.Values(s.claim.Do(store,
		"baseline:sale:"+voucher, "baseline:stock:"+voucher, "baseline:buyers:"+voucher,
		"baseline:order-ids", "baseline:orders", voucher, user))
	if err != nil {
		return 0, "", err
	}
	var outcome int64
	var order string
	_, err = redis.Scan(said, &outcome, &order)
	return outcome, order, err
}

func answer(w http.ResponseWriter, status int, body map[string]string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(body); err != nil {
		log.Print(err)
	}
}
