// redsync, as released: --driver redsync, or redsync@4.11.0. Uses a majority of the nodes, or the
// only node.
package main

import (
	"errors"
	"fmt"
	"sort"
	"strconv"
	"time"

	"github.com/go-redsync/redsync/v4"
	syncredis "github.com/go-redsync/redsync/v4/redis"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/go-redsync/redsync/v4/redis/redigo"
	redigolib "github.com/gomodule/redigo/redis"
	"github.com/redis/go-redis/v9"
)

const module = "github.com/go-redsync/redsync/v4"

type library struct {
	tries         int
	retryDelay    time.Duration // 0: the library's default, at most longestDelay
	timeoutFactor float64
	newPool       func(address string) (syncredis.Pool, error)
	sync          *redsync.Redsync
	locks         held[*redsync.Mutex] // by grant, which is the lock's value
}

const longestDelay = 250 * time.Millisecond

// The library's defaults.
var defaults = map[string]string{"client": "goredis", "tries": "32", "retry_delay_ms": "50-250", "timeout_factor": "0.05"}

// The clients of Redis that this program is built with, each connected as in the library's examples.
var clients = map[string]func(address string) (syncredis.Pool, error){
	"goredis": func(address string) (syncredis.Pool, error) {
		return goredis.NewPool(redis.NewClient(&redis.Options{Addr: address})), nil
	},
	"redigo": func(address string) (syncredis.Pool, error) {
		dial := func() (redigolib.Conn, error) { return redigolib.Dial("tcp", address) }
		return redigo.NewPool(&redigolib.Pool{MaxIdle: 3, IdleTimeout: 240 * time.Second, Dial: dial}), nil
	},
}

func namesOfClients() (names []string) {
	for name := range clients {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

func (l *library) take(options map[string]string) error {
	options, err := withDefaults(options, defaults)
	if err != nil {
		return err
	}
	client, err := oneOf(options, "client", namesOfClients()...)
	if err != nil {
		return err
	}
	l.newPool = clients[client]
	if l.tries, err = strconv.Atoi(options["tries"]); err != nil || l.tries < 1 {
		return fmt.Errorf("tries is a whole number from 1 on, and not '%s'", options["tries"])
	}
	if l.timeoutFactor, err = strconv.ParseFloat(options["timeout_factor"], 64); err != nil || !(l.timeoutFactor > 0 && l.timeoutFactor <= 1) {
		return fmt.Errorf("timeout_factor is a part of the lease, up to 1, and not '%s'", options["timeout_factor"])
	}
	if text := options["retry_delay_ms"]; text != defaults["retry_delay_ms"] {
		ms, err := strconv.Atoi(text)
		if err != nil || ms < 1 || ms > 3600000 {
			return fmt.Errorf("retry_delay_ms is a whole number of milliseconds from 1 on, up to an hour, and not '%s'", text)
		}
		l.retryDelay = time.Duration(ms) * time.Millisecond
	}
	return nil
}

func (l *library) setUp(r request) error {
	var pools []syncredis.Pool
	for _, address := range r.addresses() {
		pool, err := l.newPool(address)
		if err != nil {
			return err
		}
		pools = append(pools, pool)
	}
	l.sync = redsync.New(pools...)
	return nil
}

// Tries as often as fits into wait_ms. A context that ends would keep the library from releasing
// what it has set.
func (l *library) acquire(r request) (any, error) {
	delay, settings := longestDelay, []redsync.Option{redsync.WithExpiry(milliseconds(r.LeaseMs)), redsync.WithTimeoutFactor(l.timeoutFactor)}
	if l.retryDelay > 0 {
		delay = l.retryDelay
		settings = append(settings, redsync.WithRetryDelay(delay))
	}
	tries := 1 + int(milliseconds(r.WaitMs)/delay)
	if tries > l.tries {
		tries = l.tries
	}
	lock := l.sync.NewMutex(r.Key, append(settings, redsync.WithTries(tries))...)
	if err := lock.Lock(); err != nil {
		return refused(err)
	}
	l.locks.add(lock.Value(), lock)
	return granted{lock.Value(), leaseOf(lock)}, nil
}

// Extends by the lease of the acquire: the library has no other.
func (l *library) extend(r request) (any, error) {
	lock, found := l.locks.find(r.Grant)
	if !found {
		return nil, nil
	}
	redsync.WithExpiry(milliseconds(r.LeaseMs)).Apply(lock)
	if extended, err := lock.Extend(); !extended {
		return refused(err)
	}
	return leaseOf(lock), nil
}

func (l *library) release(r request) (any, error) {
	lock, found := l.locks.remove(r.Grant)
	if !found {
		return nil, nil
	}
	if released, err := lock.Unlock(); !released {
		return refused(err)
	}
	return struct{}{}, nil
}

// Returns a refusal, unless a node could not be reached and the others are no majority.
func refused(err error) (any, error) {
	var failed *redsync.RedisError
	if errors.As(err, &failed) {
		return nil, err
	}
	return nil, nil
}

type lease struct {
	ValidityMs int64 `json:"validity_ms"`
	FromNs     int64 `json:"from_ns"`
}

type granted struct {
	Grant string `json:"grant"`
	lease
}

// The end of the lease as the library reports it.
func leaseOf(lock *redsync.Mutex) lease {
	from := monotonicNs()
	left := time.Until(lock.Until()).Milliseconds()
	if left < 0 {
		left = 0
	}
	return lease{left, from}
}

func main() { serve(&library{}, about("redsync", module, "lease", "extend")) }
