package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
)

// state is what package peer calls State.
type state struct {
	RSS        int64  `json:"rss_bytes"`
	HeapInUse  uint64 `json:"heap_bytes"`
	Mallocs    uint64 `json:"mallocs"`
	Goroutines int    `json:"goroutines"`
}

// control replies to package peer's words in r until r ends.
func control(r io.Reader, w io.Writer) error {
	lines, out := bufio.NewScanner(r), json.NewEncoder(w)
	for lines.Scan() {
		if lines.Text() == "memory" {
			debug.FreeOSMemory()
			debug.FreeOSMemory() // frees what finalizers and pools still held during the first collection
		}
		now, err := look()
		if err != nil {
			return err
		}
		if err := out.Encode(now); err != nil {
			return err
		}
	}
	return lines.Err()
}

// look returns the state of this process.
func look() (state, error) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return state{}, err
	}
	_, line, _ := strings.Cut(string(status), "\nVmRSS:")
	var kib int64
	_, err = fmt.Sscanf(line, "%d kB", &kib)
	return state{kib << 10, m.HeapInuse, m.Mallocs, runtime.NumGoroutine()}, err
}
