// Runs Porcupine on the histories that bench_linear wrote. Measures the time of one search for each
// line of its input.
//
//	porcupine-bench MODEL=FILE...
//
// For each input line "TIMES FILE" prints a line of JSON: {"seconds": [...], "outcome": "valid"}.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"
)

type input struct {
	function int
	client   int
	first    int
	second   int
	text     string
}

type output struct {
	result  int
	unknown bool
	text    string
}

var register = porcupine.Model{
	Init: func() interface{} { return -1 },
	Step: func(state, in, out interface{}) (bool, interface{}) {
		value, asked, answer := state.(int), in.(input), out.(output)
		switch asked.function {
		case 0:
			return answer.unknown || answer.result == value, value
		case 1:
			return true, asked.first
		}
		if value == asked.first {
			return true, asked.second
		}
		return answer.unknown, value
	},
}

var lock = porcupine.Model{
	Init: func() interface{} { return -1 },
	Step: func(state, in, out interface{}) (bool, interface{}) {
		owner, asked := state.(int), in.(input)
		if asked.function == 0 {
			return owner == -1, asked.client
		}
		return owner == asked.client, -1
	},
}

var texts = porcupine.Model{
	Init: func() interface{} { return "" },
	Step: func(state, in, out interface{}) (bool, interface{}) {
		value, asked, answer := state.(string), in.(input), out.(output)
		switch asked.function {
		case 0:
			return answer.unknown || answer.text == value, value
		case 1:
			return true, asked.text
		}
		return true, value + asked.text
	},
}

func read(file string) []porcupine.Operation {
	in, err := os.Open(file)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	defer in.Close()
	var operations []porcupine.Operation
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		var n [7]int64
		words := strings.Fields(lines.Text())
		for i, word := range words {
			n[i], _ = strconv.ParseInt(word, 10, 64)
		}
		returned, unknown := n[6], false
		if returned == -1 {
			returned, unknown = math.MaxInt64, true
		}
		operations = append(operations, porcupine.Operation{
			ClientId: int(n[0]),
			Input:    input{int(n[1]), int(n[0]), int(n[2]), int(n[3]), strings.TrimPrefix(words[2], "-")},
			Call:     n[5],
			Output:   output{int(n[4]), unknown, strings.TrimPrefix(words[4], "-")},
			Return:   returned,
		})
	}
	return operations
}

type history struct {
	model      porcupine.Model
	operations []porcupine.Operation
}

type result struct {
	Seconds []float64 `json:"seconds"`
	Outcome string    `json:"outcome"`
}

func measured(one history, times int) result {
	var all result
	for i := 0; i < times; i++ {
		begun := time.Now()
		found := porcupine.CheckOperationsTimeout(one.model, one.operations, time.Minute)
		all.Seconds = append(all.Seconds, time.Since(begun).Seconds())
		all.Outcome = map[porcupine.CheckResult]string{
			porcupine.Ok: "valid", porcupine.Illegal: "violated", porcupine.Unknown: "unknown"}[found]
		if found == porcupine.Unknown {
			break
		}
	}
	return all
}

func main() {
	histories := map[string]history{}
	for _, argument := range os.Args[1:] {
		model, file, _ := strings.Cut(argument, "=")
		use := register
		if model == "owner-mutex" {
			use = lock
		} else if model == "key-value" {
			use = texts
		}
		histories[file] = history{use, read(file)}
	}
	asked := bufio.NewScanner(os.Stdin)
	for asked.Scan() {
		times, file, _ := strings.Cut(asked.Text(), " ")
		count, _ := strconv.Atoi(times)
		text, _ := json.Marshal(measured(histories[file], count))
		fmt.Println(string(text))
	}
}
