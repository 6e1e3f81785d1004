package main

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"maps"
	"os"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"time"

	"github.com/shockwave-go/shockwave/server"
)

// The commands that the server process reads from its standard input, one word a line. It replies each with one line of
// JSON.
const (
	cmdOpen     = "open"     // start the servers
	cmdNoting   = "noting"   // start the servers and record the number of every request whose handler begins
	cmdShutdown = "shutdown" // shut the servers down
	cmdVitals   = "vitals"
	cmdHold     = "hold"   // stop garbage collection until the next settle
	cmdSettle   = "settle" // collect garbage and return memory to the system, then report vitals
	cmdStacks   = "stacks" // write the stacks of all goroutines to standard error
)

// reply is the response to a command.
type reply struct {
	Error   string
	Targets []target      // after open and noting
	Took    time.Duration // after shutdown
	Begun   []uint64      // after shutdown: the recorded request numbers
	Vitals  vitals
}

// controlled is the state of the server process.
type controlled struct {
	cert  tls.Certificate
	group *serverGroup
}

// runServer runs the server process: it executes the commands from in until in ends.
func runServer(in io.Reader, out io.Writer) error {
	cert, err := server.DevelopmentCertificate()
	if err != nil {
		return err
	}
	log.SetOutput(io.Discard) // handlers that panic are part of the mix
	c := controlled{cert: cert}
	replies := json.NewEncoder(out)
	for {
		var word string
		if _, err := fmt.Fscanln(in, &word); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		var r reply
		if err := c.execute(word, &r); err != nil {
			r.Error = err.Error()
		}
		if err := replies.Encode(r); err != nil {
			return err
		}
	}
}

// execute executes one command.
func (c *controlled) execute(word string, r *reply) (err error) {
	switch word {
	case cmdOpen, cmdNoting:
		if c.group, err = startServers(c.cert); err != nil {
			return err
		}
		if word == cmdNoting {
			c.group.begun.begin()
		}
		r.Targets = c.group.targets
		return nil
	case cmdShutdown:
		h, start := c.group, time.Now()
		c.group = nil
		err = h.shutdown()
		r.Took = time.Since(start)
		r.Begun = slices.Collect(maps.Keys(h.begun.end()))
		return err
	case cmdHold:
		debug.SetGCPercent(-1)
	case cmdSettle:
		debug.SetGCPercent(100)
		for range 3 { // objects in a pool survive one collection, and objects with a cleanup another one
			debug.FreeOSMemory()
		}
	case cmdStacks:
		return pprof.Lookup("goroutine").WriteTo(os.Stderr, 1)
	}
	r.Vitals, err = takeVitals(c.group)
	return err
}
