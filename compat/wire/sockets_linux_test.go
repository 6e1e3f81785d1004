package wire

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"time"
)

// wantNoSockets waits until no connection of the namespace needs its peer or its owner any more.
func (n *namespace) wantNoSockets() error {
	var table []byte
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		var err error
		entered := n.enter(func() { table, err = os.ReadFile("/proc/thread-self/net/tcp") })
		if err := errors.Join(entered, err); err != nil {
			return err
		}
		if !unfinished(table) {
			return nil
		}
	}
	return fmt.Errorf("connections are left:\n%s", table)
}

// unfinished reports whether a table of the system's sockets has one that is neither listening (0A) nor only remembered
// (06) after its end.
func unfinished(table []byte) bool {
	lines := bytes.Split(table, []byte("\n"))
	for _, line := range lines[1:] { // the first one is a head
		if fields := bytes.Fields(line); len(fields) > 3 && string(fields[3]) != "0A" && string(fields[3]) != "06" {
			return true
		}
	}
	return false
}
