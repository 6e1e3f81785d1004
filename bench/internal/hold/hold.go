// Package hold keeps many connections open in a process of its own: with ten thousand at each end, one process would
// run out of descriptors.
package hold

import (
	"bufio"
	"fmt"
	"io"

	"github.com/shockwave-go/shockwave/bench/internal/frame"
	"github.com/shockwave-go/shockwave/bench/internal/h2ask"
	"github.com/shockwave-go/shockwave/bench/internal/sockload"
	"github.com/shockwave-go/shockwave/bench/internal/wsload"
	"github.com/shockwave-go/shockwave/bench/internal/wspeer"
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

	HTTP2     bool   // each speaks HTTP/2
	Socket    string // each speaks to a peer of package sockpeer on this transport: tcp or ws
	WebSocket bool   // each opens Ask.Path and does an exchange, which is compressed on wspeer.PathDeflate
}

// conns are connections that have been used once.
type conns interface {
	Again() error // uses each once more
	Close()
}

func (opt *Options) open() (conns, error) {
	if opt.Socket != "" {
		return sockload.Open(opt.Addr, opt.Socket == "tcp", opt.Conns)
	}
	if opt.WebSocket {
		return wsload.Open(opt.Addr, opt.Ask.Path, opt.Conns, opt.Ask.Path == wspeer.PathDeflate)
	}
	if opt.HTTP2 {
		all, err := h2ask.Open(opt.Addr, opt.TLS, opt.Conns, &opt.Ask)
		return &asked[*h2ask.Conn]{all, &opt.Ask}, err
	}
	all, err := frame.Open(opt.Addr, opt.TLS, opt.Conns, &opt.Ask)
	return &asked[*frame.Conn]{all, &opt.Ask}, err
}

// asked are connections that speak HTTP, and what each is asked.
type asked[C interface {
	Do(*frame.Exchange) error
	Close() error
}] struct {
	all []C
	ask *frame.Exchange
}

// Again implements conns.
func (a *asked[C]) Again() error {
	for i, c := range a.all {
		if err := c.Do(a.ask); err != nil {
			return fmt.Errorf("connection %d after it was idle: %w", i, err)
		}
	}
	return nil
}

// Close implements conns.
func (a *asked[C]) Close() {
	for _, c := range a.all {
		c.Close()
	}
}

// Hold opens the connections and asks each once, says so on out, and asks each again for every line that it reads from
// in, until that ends. A connection that does not answer as it must is an error.
func Hold(opt Options, in io.Reader, out io.Writer) error {
	all, err := opt.open()
	if err != nil {
		return err
	}
	defer all.Close()
	fmt.Fprintln(out, opened)
	for lines := bufio.NewScanner(in); lines.Scan(); {
		if err := all.Again(); err != nil {
			return err
		}
		fmt.Fprintln(out, answered)
	}
	return nil
}
