package peer

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
)

// What a peer's process understands on its standard input, one word a line; it answers with a line of JSON, a State.
// The words travel beside the connections so that asking is no request and costs no connection.
const (
	WordMemory = "memory" // give back to the system what can be given back, then tell
	WordCounts = "counts" // tell
)

// State is what a peer's process knows about itself.
type State struct {
	RSS        int64  `json:"rss_bytes"`  // resident memory
	HeapInUse  uint64 `json:"heap_bytes"` // of Go's heap, spans in use
	Mallocs    uint64 `json:"mallocs"`    // objects allocated since it began
	Goroutines int    `json:"goroutines"`
}

// Control answers the words in r until it ends.
func Control(r io.Reader, w io.Writer) error {
	lines, out := bufio.NewScanner(r), json.NewEncoder(w)
	for lines.Scan() {
		word := lines.Text()
		if word != WordMemory && word != WordCounts {
			return fmt.Errorf("control: there is no word %q", word)
		}
		state, err := Tell(word == WordMemory)
		if err != nil {
			return err
		}
		if err := out.Encode(state); err != nil {
			return err
		}
	}
	return lines.Err()
}

// Tell returns what this process uses; if it is to give back, after it has given back to the system what it can.
func Tell(giveBack bool) (s State, err error) {
	if giveBack {
		debug.FreeOSMemory()
		debug.FreeOSMemory() // what finalizers and pools held in the first pass
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	rss, err := ReadRSS(os.Getpid())
	return State{rss, m.HeapInuse, m.Mallocs, runtime.NumGoroutine()}, err
}
