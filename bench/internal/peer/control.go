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

// The control words that a peer's process reads from its standard input, one a line. It replies to each with a State as a line
// of JSON. The control does not use the server's connections, so it does not influence the measurement.
const (
	WordMemory = "memory" // return unused memory to the system, then report
	WordCounts = "counts" // report
)

// State is what a peer's process reports about itself.
type State struct {
	RSS        int64  `json:"rss_bytes"`  // resident memory
	HeapInUse  uint64 `json:"heap_bytes"` // bytes in heap spans in use
	Mallocs    uint64 `json:"mallocs"`    // objects allocated since the process began
	Goroutines int    `json:"goroutines"`
}

// Control replies to the control words in r until r ends.
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

// Tell returns the state of this process. If giveBack is set, it first returns unused memory to the system.
func Tell(giveBack bool) (s State, err error) {
	if giveBack {
		debug.FreeOSMemory()
		debug.FreeOSMemory() // frees what finalizers and pools still held during the first collection
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	rss, err := ReadRSS(os.Getpid())
	return State{rss, m.HeapInuse, m.Mallocs, runtime.NumGoroutine()}, err
}
