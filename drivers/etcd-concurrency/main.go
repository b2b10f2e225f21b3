// The Mutex of etcd's Go client, as released: --driver etcd-concurrency, or etcd-concurrency@3.5.17.
//
// The lease is that of a concurrency.Session, which the client keeps alive. A mutex admits its own
// session again, so each session of Doublehold has one of its own.
package main

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	etcd "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

const module = "go.etcd.io/etcd/client/v3"

const (
	dialTimeout    = 5 * time.Second
	requestTimeout = 5 * time.Second // of an unlock, and of a new session
)

type library struct {
	client   *etcd.Client
	ttl      int // seconds
	mutex    sync.Mutex
	sessions map[int]*concurrency.Session // by session of the protocol; guarded by mutex
	locks    held[*concurrency.Mutex]     // by grant
	grants   atomic.Uint64
}

func (l *library) take(options map[string]string) error {
	_, err := withDefaults(options, nil)
	return err
}

func (l *library) setUp(r request) error {
	l.ttl = int((r.LeaseMs + 999) / 1000)
	l.sessions = map[int]*concurrency.Session{}
	var err error
	l.client, err = etcd.New(etcd.Config{Endpoints: r.addresses(), DialTimeout: dialTimeout})
	return err
}

// sessionOf returns a live session: a new one if the last has ended.
func (l *library) sessionOf(number int) (*concurrency.Session, error) {
	l.mutex.Lock()
	session := l.sessions[number]
	l.mutex.Unlock()
	if session != nil {
		select {
		case <-session.Done():
		default:
			return session, nil
		}
	}
	// NewSession itself would wait for a server without end.
	ctx, cancel := context.WithTimeout(context.Background(), requestTimeout)
	defer cancel()
	lease, err := l.client.Grant(ctx, int64(l.ttl))
	if err != nil {
		return nil, err
	}
	session, err = concurrency.NewSession(l.client, concurrency.WithTTL(l.ttl), concurrency.WithLease(lease.ID))
	if err != nil {
		return nil, err
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.sessions[number] = session
	return session, nil
}

func (l *library) acquire(r request) (any, error) {
	session, err := l.sessionOf(r.Session)
	if err != nil {
		return nil, err
	}
	lock := concurrency.NewMutex(session, "/doublehold/"+r.Key)
	if r.WaitMs > 0 {
		ctx, cancel := context.WithTimeout(context.Background(), milliseconds(r.WaitMs))
		defer cancel()
		err = lock.Lock(ctx)
	} else {
		ctx, cancel := context.WithTimeout(context.Background(), requestTimeout)
		defer cancel()
		err = lock.TryLock(ctx)
	}
	const withdrawn = "\x00" // the name of a mutex's key after the mutex has deleted it
	if errors.Is(err, concurrency.ErrSessionExpired) || (err != nil && lock.Key() == withdrawn) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	grant := strconv.FormatUint(l.grants.Add(1), 10)
	l.locks.add(grant, lock)
	go func() {
		<-session.Done()
		if _, unreleased := l.locks.find(grant); unreleased {
			reportLost(grant)
		}
	}()
	return map[string]any{"grant": grant, "token": lock.Header().Revision, "validity_ms": l.validityMs()}, nil
}

// The client keeps a session alive after a third of its time, but looks only every 500 ms whether
// that is over. So the last time may lie that far back when a lock is asked for.
func (l *library) validityMs() int64 {
	const looksEveryMs = 500
	return int64(l.ttl)*1000*2/3 - looksEveryMs
}

// Unlock does not say whether the key still existed.
func (l *library) release(r request) (any, error) {
	lock, found := l.locks.remove(r.Grant)
	if !found {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), requestTimeout)
	defer cancel()
	return struct{}{}, lock.Unlock(ctx)
}

func main() {
	can := []string{"lease", "lost", "silent-release", "token", "watchdog"}
	hello := about("etcd-concurrency", module, can...)
	hello["service"] = "etcd"
	serve(&library{}, hello)
}
