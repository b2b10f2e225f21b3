// redsync on go-redis, as released: --driver redsync, or redsync@4.11.0. Uses a majority of the
// nodes, or the only node.
package main

import (
	"errors"
	"fmt"
	"strconv"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"github.com/go-redsync/redsync/v4"
	syncredis "github.com/go-redsync/redsync/v4/redis"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redis/go-redis/v9"
)

const module = "github.com/go-redsync/redsync/v4"

type library struct {
	tries         int
	retryDelay    time.Duration // 0: the library's default, at most longestDelay
	timeoutFactor float64
	sync          *redsync.Redsync
	mutex         sync.Mutex
	locks         map[string]*redsync.Mutex // by grant, which is the lock's value; guarded by mutex
}

const longestDelay = 250 * time.Millisecond

// The library's defaults.
var defaults = map[string]string{"tries": "32", "retry_delay_ms": "50-250", "timeout_factor": "0.05"}

func (l *library) take(options map[string]string) error {
	options, err := withDefaults(options, defaults)
	if err != nil {
		return err
	}
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

func (l *library) setUp(r request) {
	var pools []syncredis.Pool
	for _, address := range r.addresses() {
		pools = append(pools, goredis.NewPool(redis.NewClient(&redis.Options{Addr: address})))
	}
	l.sync = redsync.New(pools...)
	l.locks = map[string]*redsync.Mutex{}
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
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.locks[lock.Value()] = lock
	return granted{lock.Value(), leaseOf(lock)}, nil
}

// Extends by the lease of the acquire: the library has no other.
func (l *library) extend(r request) (any, error) {
	lock := l.lockOf(r.Grant)
	if lock == nil {
		return nil, nil
	}
	redsync.WithExpiry(milliseconds(r.LeaseMs)).Apply(lock)
	if extended, err := lock.Extend(); !extended {
		return refused(err)
	}
	return leaseOf(lock), nil
}

func (l *library) release(r request) (any, error) {
	lock := l.lockOf(r.Grant)
	if lock == nil {
		return nil, nil
	}
	l.mutex.Lock()
	delete(l.locks, r.Grant)
	l.mutex.Unlock()
	if released, err := lock.Unlock(); !released {
		return refused(err)
	}
	return struct{}{}, nil
}

func (l *library) lockOf(grant string) *redsync.Mutex {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.locks[grant]
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

func monotonicNs() int64 { // time.Time does not expose it
	const clockMonotonic = 1
	var now syscall.Timespec
	if _, _, failed := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockMonotonic, uintptr(unsafe.Pointer(&now)), 0); failed != 0 {
		panic(failed)
	}
	return now.Nano()
}

func (l *library) answer(r request) (any, error) {
	switch r.Op {
	case "hello":
		can := []string{"lease", "extend"}
		return map[string]any{"protocol": 1, "name": "redsync", "version": versionOf(module), "can": can}, l.take(r.Options)
	case "setup":
		l.setUp(r)
	case "acquire":
		return l.acquire(r)
	case "extend":
		return l.extend(r)
	case "release":
		return l.release(r)
	case "bye":
	default:
		return nil, fmt.Errorf("no such op: %s", r.Op)
	}
	return struct{}{}, nil
}

func main() { serve(&library{}) }
