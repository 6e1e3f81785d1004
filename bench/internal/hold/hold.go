// Package hold keeps many connections open in a process of its own: with ten thousand at each end, one process would
// run out of descriptors.
package hold

import (
	"bufio"
	"fmt"
	"io"

	"github.com/shockwave-go/shockwave/bench/internal/frame"
)

// What the holding process writes when it has done what it was asked.
const (
	opened   = "opened"   // all connections are open and have answered once
	answered = "answered" // all have answered again
)

// Options say what is held.
type Options struct {
	Addr  string
	Conns int
	TLS   bool
	Ask   frame.Exchange
}

// Hold opens the connections and asks each once, says so on out, and asks each again for every line that it reads from
// in, until that ends. A connection that does not answer as it must is an error.
func Hold(opt Options, in io.Reader, out io.Writer) error {
	conns, err := frame.Open(opt.Addr, opt.TLS, opt.Conns, &opt.Ask)
	if err != nil {
		return err
	}
	defer conns.Close()
	fmt.Fprintln(out, opened)
	for lines := bufio.NewScanner(in); lines.Scan(); {
		for i, c := range conns {
			if err := c.Do(&opt.Ask); err != nil {
				return fmt.Errorf("connection %d after it was idle: %w", i, err)
			}
		}
		fmt.Fprintln(out, answered)
	}
	return nil
}
