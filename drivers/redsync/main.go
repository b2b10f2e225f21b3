// redsync on go-redis, as released: --driver redsync, or redsync@4.11.0. Uses a majority of the
// nodes, or the only node.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
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

// ---- the library ----

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
	for name := range options {
		if _, known := defaults[name]; !known {
			return fmt.Errorf("no such option: %s (there is: retry_delay_ms, timeout_factor, tries)", name)
		}
	}
	of := func(name string) string {
		if text, given := options[name]; given {
			return text
		}
		return defaults[name]
	}
	var err error
	if l.tries, err = strconv.Atoi(of("tries")); err != nil || l.tries < 1 {
		return fmt.Errorf("tries is a whole number from 1 on, and not '%s'", of("tries"))
	}
	if l.timeoutFactor, err = strconv.ParseFloat(of("timeout_factor"), 64); err != nil || !(l.timeoutFactor > 0 && l.timeoutFactor <= 1) {
		return fmt.Errorf("timeout_factor is a part of the lease, up to 1, and not '%s'", of("timeout_factor"))
	}
	if text := of("retry_delay_ms"); text != defaults["retry_delay_ms"] {
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
	for _, node := range r.Nodes {
		address := net.JoinHostPort(node.Host, strconv.Itoa(node.Port))
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

func milliseconds(count int64) time.Duration { return time.Duration(count) * time.Millisecond }

// ---- the protocol ----

type request struct {
	ID      uint64            `json:"id"`
	Op      string            `json:"op"`
	Options map[string]string `json:"options"`
	Nodes   []struct {
		Host string `json:"host"`
		Port int    `json:"port"`
	} `json:"nodes"`
	Key     string `json:"key"`
	Grant   string `json:"grant"`
	LeaseMs int64  `json:"lease_ms"`
	WaitMs  int64  `json:"wait_ms"`
}

func version() string { // the version that was built in, whatever was requested
	info, _ := debug.ReadBuildInfo()
	for _, built := range info.Deps {
		if built.Path == module {
			return strings.TrimPrefix(built.Version, "v")
		}
	}
	return "unknown"
}

// nil without an error: refused. An error: the outcome is unknown.
func (l *library) answer(r request) (any, error) {
	switch r.Op {
	case "hello":
		can := []string{"lease", "extend"}
		return map[string]any{"protocol": 1, "name": "redsync", "version": version(), "can": can}, l.take(r.Options)
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

func main() {
	var library library
	var writing sync.Mutex
	out := json.NewEncoder(os.Stdout)
	serve := func(r request) {
		line := map[string]any{"id": r.ID}
		if done, err := library.answer(r); err != nil {
			line["error"] = map[string]string{"text": err.Error()}
		} else if done == nil {
			line["no"] = struct{}{}
		} else {
			line["ok"] = done
		}
		writing.Lock()
		defer writing.Unlock()
		out.Encode(line)
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var r request
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		switch r.Op {
		case "acquire", "extend", "release": // its session has no other request pending
			go serve(r)
		default:
			serve(r)
		}
		if r.Op == "bye" {
			return
		}
	}
}
