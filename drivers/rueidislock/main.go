// rueidislock, as released: --driver rueidislock, or rueidislock@1.0.79. The lease is KeyValidity,
// which the library extends until the release.
package main

import (
	"context"
	"errors"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/redis/rueidis"
	"github.com/redis/rueidis/rueidislock"
)

const module = "github.com/redis/rueidis"

const connectTimeout = 15 * time.Second // the server may still be starting

const halfOfLease = "half of the lease" // of extend_ms

var defaults = map[string]string{
	"key_majority": "1", "no_loop": "yes", "cache": "yes", "set_px": "no", "try_next_ms": "20", "extend_ms": halfOfLease,
}

type library struct {
	settings rueidislock.LockerOption
	locker   rueidislock.Locker
	cancels  held[context.CancelFunc] // by grant
	grants   atomic.Uint64
}

func (l *library) take(given map[string]string) error {
	options, err := withDefaults(given, defaults)
	if err != nil {
		return err
	}
	for _, name := range []string{"no_loop", "cache", "set_px"} {
		if _, err := oneOf(options, name, "yes", "no"); err != nil {
			return err
		}
	}
	majority, err := wholeNumber(options, "key_majority", 1)
	if err != nil {
		return err
	}
	tryNextMs, err := wholeNumber(options, "try_next_ms", 1)
	if err != nil {
		return err
	}
	extendMs := 0
	if options["extend_ms"] != halfOfLease {
		if extendMs, err = wholeNumber(options, "extend_ms", 1); err != nil {
			return err
		}
	}
	l.settings = rueidislock.LockerOption{
		ClientOption:   rueidis.ClientOption{DisableCache: options["cache"] == "no"},
		ExtendInterval: milliseconds(int64(extendMs)),
		TryNextAfter:   milliseconds(int64(tryNextMs)),
		KeyMajority:    int32(majority),
		NoLoopTracking: options["no_loop"] == "yes",
		FallbackSETPX:  options["set_px"] == "yes",
	}
	return nil
}

func (l *library) setUp(r request) (err error) {
	l.settings.ClientOption.InitAddress = r.addresses()[:1]
	l.settings.KeyValidity = milliseconds(r.LeaseMs)
	if l.settings.ExtendInterval == 0 { // in old versions the library's default is a second
		l.settings.ExtendInterval = l.settings.KeyValidity / 2
	}
	for giveUp := time.Now().Add(connectTimeout); ; time.Sleep(20 * time.Millisecond) {
		l.locker, err = rueidislock.NewLocker(l.settings)
		if err == nil || time.Now().After(giveUp) {
			return err
		}
	}
}

// The context of an acquire is also that of the lock, so it must not end with the wait.
func (l *library) acquire(r request) (any, error) {
	wait, endWait := context.WithCancel(context.Background())
	var ctx context.Context
	var cancel context.CancelFunc
	var err error
	if r.WaitMs == 0 {
		ctx, cancel, err = l.locker.TryWithContext(wait, r.Key)
	} else {
		timer := time.AfterFunc(milliseconds(r.WaitMs), endWait)
		ctx, cancel, err = l.locker.WithContext(wait, r.Key)
		if !timer.Stop() && err == nil { // granted at the end of the wait
			cancel()
			err = context.Canceled
		}
	}
	// All that was set is deleted by now, or its deletion has failed unnoticed.
	if errors.Is(err, rueidislock.ErrNotLocked) || errors.Is(err, context.Canceled) {
		endWait()
		return nil, nil
	}
	if err != nil {
		endWait()
		return nil, err
	}
	grant := strconv.FormatUint(l.grants.Add(1), 10)
	l.cancels.add(grant, func() {
		cancel()
		endWait()
	})
	go func() {
		<-ctx.Done()
		if _, unreleased := l.cancels.find(grant); unreleased {
			reportLost(grant)
		}
	}()
	return map[string]any{"grant": grant}, nil
}

// The library's release returns nothing.
func (l *library) release(r request) (any, error) {
	cancel, found := l.cancels.remove(r.Grant)
	if !found {
		return nil, nil
	}
	cancel()
	return struct{}{}, nil
}

func main() {
	serve(&library{}, about("rueidislock", module, "lease", "lost", "silent-release", "watchdog"))
}
