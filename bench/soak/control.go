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

// What the process that serves can be told, one word a line. It answers each with one line of JSON.
const (
	sayOpen     = "open"     // open a house and keep no notes
	sayNoting   = "noting"   // open a house and note every request whose handler begins
	sayShutdown = "shutdown" // shut the house down
	sayVitals   = "vitals"
	sayHold     = "hold"   // collect no garbage until the next settle
	saySettle   = "settle" // collect, and give memory back to the system, then vitals
	sayStacks   = "stacks" // write all goroutines to standard error
)

// reply is the answer to a word.
type reply struct {
	Error   string
	Targets []target      // of open and noting
	Took    time.Duration // of shutdown
	Begun   []uint64      // of shutdown: the numbers noted
	Vitals  vitals
}

// controlled is the process that serves.
type controlled struct {
	cert  tls.Certificate
	house *house
}

// beServer does what it is told until in ends.
func beServer(in io.Reader, out io.Writer) error {
	cert, err := server.DevelopmentCertificate()
	if err != nil {
		return err
	}
	log.SetOutput(io.Discard) // handlers that panic are part of the mix
	c := controlled{cert: cert}
	answers := json.NewEncoder(out)
	for {
		var word string
		if _, err := fmt.Fscanln(in, &word); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		var r reply
		if err := c.obey(word, &r); err != nil {
			r.Error = err.Error()
		}
		if err := answers.Encode(r); err != nil {
			return err
		}
	}
}

// obey does one thing.
func (c *controlled) obey(word string, r *reply) (err error) {
	switch word {
	case sayOpen, sayNoting:
		if c.house, err = openHouse(c.cert); err != nil {
			return err
		}
		if word == sayNoting {
			c.house.begun.begin()
		}
		r.Targets = c.house.targets
		return nil
	case sayShutdown:
		h, start := c.house, time.Now()
		c.house = nil
		err = h.shutdown()
		r.Took = time.Since(start)
		r.Begun = slices.Collect(maps.Keys(h.begun.end()))
		return err
	case sayHold:
		debug.SetGCPercent(-1)
	case saySettle:
		debug.SetGCPercent(100)
		for range 3 { // what a pool holds lives through one collection, what has a cleanup through another
			debug.FreeOSMemory()
		}
	case sayStacks:
		return pprof.Lookup("goroutine").WriteTo(os.Stderr, 1)
	}
	r.Vitals, err = takeVitals(c.house)
	return err
}
