// A driver to copy: SET NX PX and a compare-and-delete over a bare socket, with nothing but Go.
//
//	go build -o my-driver drivers/template.go
//	doublehold driver check -- ./my-driver
//	doublehold run --driver ./my-driver --faults pause
//
// Put your own library into type library. The rest is the protocol: docs/driver-protocol.md.
package main

import (
	"bufio"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

const deleteOwn = "if redis.call('get',KEYS[1])==ARGV[1] then " +
	"return redis.call('del',KEYS[1]) else return 0 end"

// ---- the library: replace it by yours ----

// One for each session, used by one goroutine at a time. A nil map: refused. An error: the outcome
// is unknown.
type library struct {
	redis    connection
	interval time.Duration     // between two tries
	keys     map[string]string // by grant
}

func newLibrary(setup request) *library {
	node := setup.Nodes[0]
	address := net.JoinHostPort(node.Host, strconv.Itoa(node.Port))
	return &library{
		redis:    connection{address: address},
		interval: 5 * time.Millisecond,
		keys:     map[string]string{},
	}
}

func (l *library) acquire(key string, leaseMs, waitMs int64) (map[string]any, error) {
	giveUp := time.Now().Add(time.Duration(waitMs) * time.Millisecond)
	random := make([]byte, 8)
	if _, err := rand.Read(random); err != nil {
		return nil, err
	}
	owner := hex.EncodeToString(random)
	for {
		asked := monotonicNs()
		reply, err := l.redis.call("SET", key, owner, "NX", "PX", strconv.FormatInt(leaseMs, 10))
		if err != nil {
			return nil, err
		}
		if reply == "OK" {
			l.keys[owner] = key
			return map[string]any{"grant": owner, "from_ns": asked}, nil // the lease counts from here
		}
		if !time.Now().Before(giveUp) {
			return nil, nil // another owner has it
		}
		time.Sleep(l.interval)
	}
}

func (l *library) release(grant string) (map[string]any, error) {
	key := l.keys[grant]
	delete(l.keys, grant)
	reply, err := l.redis.call("EVAL", deleteOwn, "1", key, grant)
	if err != nil || reply != "1" {
		return nil, err
	}
	return map[string]any{}, nil
}

// A connection to Redis. It reads no arrays.
type connection struct {
	address string
	socket  net.Conn
	in      *bufio.Reader
}

// Returns the reply as text; "" for a nil reply.
func (c *connection) call(words ...string) (reply string, err error) {
	if c.socket == nil {
		if c.socket, err = net.DialTimeout("tcp", c.address, 5*time.Second); err != nil {
			c.socket = nil
			return "", err
		}
		c.in = bufio.NewReader(c.socket)
	}
	defer func() {
		if err != nil && c.socket != nil { // a late reply would be taken for another call's
			c.socket.Close()
			c.socket = nil
		}
	}()
	c.socket.SetDeadline(time.Now().Add(5 * time.Second))
	var text strings.Builder
	fmt.Fprintf(&text, "*%d\r\n", len(words))
	for _, word := range words {
		fmt.Fprintf(&text, "$%d\r\n%s\r\n", len(word), word)
	}
	if _, err = io.WriteString(c.socket, text.String()); err != nil {
		return "", err
	}
	line, err := c.in.ReadString('\n')
	if err != nil {
		return "", err
	}
	line = strings.TrimSuffix(line, "\r\n")
	switch line[0] {
	case '-':
		return "", errors.New(line)
	case '$':
		length, err := strconv.Atoi(line[1:])
		if err != nil || length < 0 {
			return "", err
		}
		bulk := make([]byte, length+2)
		_, err = io.ReadFull(c.in, bulk)
		return string(bulk[:length]), err
	}
	return line[1:], nil
}

// CLOCK_MONOTONIC, as the protocol wants it; time.Now has its own zero.
func monotonicNs() int64 {
	var now syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, 1, uintptr(unsafe.Pointer(&now)), 0)
	return now.Nano()
}

// ---- the protocol ----

type request struct {
	ID       int64             `json:"id"`
	Op       string            `json:"op"`
	Options  map[string]string `json:"options"`
	Sessions int               `json:"sessions"`
	Nodes    []struct {
		Host string `json:"host"`
		Port int    `json:"port"`
	} `json:"nodes"`
	Session int    `json:"session"`
	Key     string `json:"key"`
	LeaseMs int64  `json:"lease_ms"`
	WaitMs  int64  `json:"wait_ms"`
	Grant   string `json:"grant"`
}

var writing sync.Mutex

func answer(r request, done map[string]any, err error) {
	reply := map[string]any{"id": r.ID}
	switch {
	case err != nil:
		reply["error"] = map[string]any{"text": err.Error()}
	case done == nil:
		reply["no"] = map[string]any{}
	default:
		reply["ok"] = done
	}
	text, _ := json.Marshal(reply)
	writing.Lock()
	defer writing.Unlock()
	os.Stdout.Write(append(text, '\n'))
}

// Serves one session until the program ends.
func serve(l *library, requests <-chan request) {
	for r := range requests {
		if r.Op == "acquire" {
			done, err := l.acquire(r.Key, r.LeaseMs, r.WaitMs)
			answer(r, done, err)
		} else {
			done, err := l.release(r.Grant)
			answer(r, done, err)
		}
	}
}

func main() {
	var sessions []chan request
	lines := json.NewDecoder(os.Stdin)
	for {
		var r request
		if lines.Decode(&r) != nil {
			return
		}
		switch r.Op {
		case "hello":
			if len(r.Options) > 0 {
				answer(r, nil, errors.New("there are no options"))
				continue
			}
			hello := map[string]any{"protocol": 1, "name": "template.go", "version": "1"}
			hello["can"] = []string{"lease"}
			answer(r, hello, nil)
		case "setup":
			for i := 0; i < r.Sessions; i++ {
				session := make(chan request, 1)
				sessions = append(sessions, session)
				go serve(newLibrary(r), session)
			}
			answer(r, map[string]any{}, nil)
		case "acquire", "release":
			sessions[r.Session] <- r
		case "bye":
			answer(r, map[string]any{}, nil)
			return
		default:
			answer(r, nil, errors.New("no such op: "+r.Op))
		}
	}
}
