// The driver protocol (docs/driver-protocol.md) for the bundled drivers in Go. `kept.py` compiles
// it into each.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"runtime/debug"
	"sort"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

type request struct {
	ID       uint64            `json:"id"`
	Op       string            `json:"op"`
	Options  map[string]string `json:"options"`
	Sessions int               `json:"sessions"`
	Session  int               `json:"session"`
	Nodes    []struct {
		Host string `json:"host"`
		Port int    `json:"port"`
	} `json:"nodes"`
	Key     string `json:"key"`
	Grant   string `json:"grant"`
	LeaseMs int64  `json:"lease_ms"`
	WaitMs  int64  `json:"wait_ms"`
}

func (r request) addresses() []string {
	var all []string
	for _, node := range r.Nodes {
		all = append(all, net.JoinHostPort(node.Host, strconv.Itoa(node.Port)))
	}
	return all
}

// answerer is a library: of an acquire and a release, nil without an error means refused, an error
// means that the outcome is unknown.
type answerer interface {
	take(options map[string]string) error // at the hello
	setUp(r request) error
	acquire(r request) (any, error)
	release(r request) (any, error)
}

// extender is a library that extends leases on request. Its answer is as that of an acquire.
type extender interface {
	extend(r request) (any, error)
}

func milliseconds(count int64) time.Duration { return time.Duration(count) * time.Millisecond }

func monotonicNs() int64 { // time.Time does not expose it
	const clockMonotonic = 1
	var now syscall.Timespec
	if _, _, failed := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockMonotonic, uintptr(unsafe.Pointer(&now)), 0); failed != 0 {
		panic(failed)
	}
	return now.Nano()
}

// held has the library's locks by grant, until they are released. Safe for concurrent use.
type held[T any] struct {
	mutex sync.Mutex
	locks map[string]T
}

func (h *held[T]) add(grant string, lock T) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if h.locks == nil {
		h.locks = map[string]T{}
	}
	h.locks[grant] = lock
}

func (h *held[T]) find(grant string) (T, bool) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	lock, found := h.locks[grant]
	return lock, found
}

func (h *held[T]) remove(grant string) (T, bool) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	lock, found := h.locks[grant]
	delete(h.locks, grant)
	return lock, found
}

// wholeNumber returns an option's value, from `least` up to a million.
func wholeNumber(options map[string]string, name string, least int) (int, error) {
	number, err := strconv.Atoi(options[name])
	if err != nil || number < least || number > 1000000 {
		return 0, fmt.Errorf("%s is a whole number from %d up to 1000000, and not '%s'", name, least, options[name])
	}
	return number, nil
}

// oneOf returns an option's value, which is one of `words`.
func oneOf(options map[string]string, name string, words ...string) (string, error) {
	for _, word := range words {
		if options[name] == word {
			return word, nil
		}
	}
	return "", fmt.Errorf("%s is one of %s, and not '%s'", name, strings.Join(words, ", "), options[name])
}

// withDefaults returns the options with the defaults of those that are not given.
func withDefaults(given, defaults map[string]string) (map[string]string, error) {
	all := map[string]string{}
	var names []string
	for name, text := range defaults {
		all[name] = text
		names = append(names, name)
	}
	sort.Strings(names)
	for name, text := range given {
		if _, known := defaults[name]; !known {
			return nil, fmt.Errorf("no such option: %s (there is: %s)", name, strings.Join(names, ", "))
		}
		all[name] = text
	}
	return all, nil
}

// versionOf returns the version of a module that was built in, whatever was requested.
func versionOf(module string) string {
	info, _ := debug.ReadBuildInfo()
	for _, built := range info.Deps {
		if built.Path == module {
			return strings.TrimPrefix(built.Version, "v")
		}
	}
	return "unknown"
}

var writing sync.Mutex

func write(line map[string]any) {
	writing.Lock()
	defer writing.Unlock()
	json.NewEncoder(os.Stdout).Encode(line)
}

// reportLost tells the holder of a grant that its lock is lost.
func reportLost(grant string) {
	write(map[string]any{"lost": map[string]string{"grant": grant}})
}

// about returns the answer to hello.
func about(name, module string, can ...string) map[string]any {
	return map[string]any{"protocol": 1, "name": name, "version": versionOf(module), "can": can}
}

func answer(library answerer, hello map[string]any, r request) (any, error) {
	switch r.Op {
	case "hello":
		return hello, library.take(r.Options)
	case "setup":
		return struct{}{}, library.setUp(r)
	case "acquire":
		return library.acquire(r)
	case "extend":
		if library, extends := library.(extender); extends {
			return library.extend(r)
		}
	case "release":
		return library.release(r)
	case "bye":
		return struct{}{}, nil
	}
	return nil, fmt.Errorf("no such op: %s", r.Op)
}

// serve answers requests until the end of standard input.
func serve(library answerer, hello map[string]any) {
	one := func(r request) {
		line := map[string]any{"id": r.ID}
		if done, err := answer(library, hello, r); err != nil {
			line["error"] = map[string]string{"text": err.Error()}
		} else if done == nil {
			line["no"] = struct{}{}
		} else {
			line["ok"] = done
		}
		write(line)
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
			go one(r)
		default:
			one(r)
		}
		if r.Op == "bye" {
			return
		}
	}
}
