// bsm/redislock on go-redis, as released: --driver bsm-redislock, or bsm-redislock@0.9.3.
package main

import (
	"context"
	"errors"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

const module = "github.com/bsm/redislock"

const longestBackoff = time.Second // of strategy exponential

var defaults = map[string]string{"strategy": "linear", "retry_ms": "100", "limit": "0", "context_timeout": "no"}

type library struct {
	strategy       string
	retry          time.Duration
	limit          int // 0: none
	contextTimeout bool
	locker         *redislock.Client
	locks          held[*redislock.Lock] // by grant, which is the lock's token
}

func (l *library) take(given map[string]string) error {
	options, err := withDefaults(given, defaults)
	if err != nil {
		return err
	}
	if l.strategy, err = oneOf(options, "strategy", "linear", "exponential", "none"); err != nil {
		return err
	}
	retryMs, err := wholeNumber(options, "retry_ms", 1)
	if err != nil {
		return err
	}
	l.retry = milliseconds(int64(retryMs))
	if l.limit, err = wholeNumber(options, "limit", 0); err != nil {
		return err
	}
	timeout, err := oneOf(options, "context_timeout", "no", "yes")
	l.contextTimeout = timeout == "yes"
	return err
}

// try is the last command of an Obtain. The library does not say when it sent the granted one.
type try struct {
	askedNs int64
	err     error
}

type tryKey struct{}

// watch is a hook of go-redis that fills in the try of a call's context.
type watch struct{}

func (watch) DialHook(next redis.DialHook) redis.DialHook { return next }

func (watch) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (watch) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, command redis.Cmder) error {
		last, watched := ctx.Value(tryKey{}).(*try)
		if !watched {
			return next(ctx, command)
		}
		last.askedNs = monotonicNs()
		last.err = next(ctx, command)
		return last.err
	}
}

func (l *library) setUp(r request) error {
	client := redis.NewClient(&redis.Options{Addr: r.addresses()[0], ContextTimeoutEnabled: l.contextTimeout})
	client.AddHook(watch{})
	l.locker = redislock.New(client)
	return nil
}

// strategyOf returns a new one for each call, because the library's strategies count their tries.
func (l *library) strategyOf(r request) redislock.RetryStrategy {
	strategy := redislock.LinearBackoff(l.retry)
	switch {
	case r.WaitMs == 0 || l.strategy == "none":
		return redislock.NoRetry()
	case l.strategy == "exponential":
		strategy = redislock.ExponentialBackoff(l.retry, longestBackoff)
	}
	if l.limit > 0 {
		strategy = redislock.LimitRetry(strategy, l.limit)
	}
	return strategy
}

func (l *library) acquire(r request) (any, error) {
	var last try
	ctx := context.WithValue(context.Background(), tryKey{}, &last)
	if r.WaitMs > 0 {
		timed, cancel := context.WithTimeout(ctx, milliseconds(r.WaitMs))
		defer cancel()
		ctx = timed
	}
	lock, err := l.locker.Obtain(ctx, r.Key, milliseconds(r.LeaseMs), &redislock.Options{RetryStrategy: l.strategyOf(r)})
	if errors.Is(err, redislock.ErrNotObtained) {
		return nil, nil
	}
	// The library reports the end of the wait in the same way as that of a try.
	if errors.Is(err, context.DeadlineExceeded) && errors.Is(last.err, redis.Nil) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	l.locks.add(lock.Token(), lock)
	return map[string]any{"grant": lock.Token(), "from_ns": last.askedNs}, nil
}

func (l *library) extend(r request) (any, error) {
	lock, found := l.locks.find(r.Grant)
	if !found {
		return nil, nil
	}
	asked := monotonicNs()
	err := lock.Refresh(context.Background(), milliseconds(r.LeaseMs), nil)
	if errors.Is(err, redislock.ErrNotObtained) {
		return nil, nil
	}
	return map[string]any{"from_ns": asked}, err
}

func (l *library) release(r request) (any, error) {
	lock, found := l.locks.remove(r.Grant)
	if !found {
		return nil, nil
	}
	err := lock.Release(context.Background())
	if errors.Is(err, redislock.ErrLockNotHeld) {
		return nil, nil
	}
	return struct{}{}, err
}

func main() { serve(&library{}, about("bsm-redislock", module, "lease", "extend")) }
