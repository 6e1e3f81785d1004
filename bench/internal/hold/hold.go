// Package hold keeps many connections open in a process of its own. With ten thousand connections, a single process for
// both ends could run out of file descriptors.
package hold

import (
	"bufio"
	"fmt"
	"io"

	"github.com/shockwave-go/shockwave/bench/internal/frame"
	"github.com/shockwave-go/shockwave/bench/internal/h2ask"
	"github.com/shockwave-go/shockwave/bench/internal/h3ask"
	"github.com/shockwave-go/shockwave/bench/internal/sockload"
	"github.com/shockwave-go/shockwave/bench/internal/wsload"
	"github.com/shockwave-go/shockwave/bench/internal/wspeer"
)

// The lines that the holding process writes.
const (
	opened   = "opened"   // all connections are open and have got a response
	answered = "answered" // all have got another response
)

// Options describe the connections that are held.
type Options struct {
	Addr  string
	Conns int
	TLS   bool
	Ask   frame.Exchange

	HTTP2     bool   // they speak HTTP/2
	HTTP3     bool   // they speak HTTP/3
	Socket    string // they speak to a peer of package sockpeer over this transport: tcp or ws
	WebSocket bool   // they are WebSockets on Ask.Path, compressed if that is wspeer.PathDeflate
}

// conns are open connections, each of which has done one exchange.
type conns interface {
	Again() error // does another exchange on each
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
		return &httpConns[*h2ask.Conn]{all, &opt.Ask}, err
	}
	if opt.HTTP3 {
		all, err := h3ask.Open(opt.Addr, opt.Conns, &opt.Ask)
		return &httpConns[*h3ask.Conn]{all, &opt.Ask}, err
	}
	all, err := frame.Open(opt.Addr, opt.TLS, opt.Conns, &opt.Ask)
	return &httpConns[*frame.Conn]{all, &opt.Ask}, err
}

// httpConns are HTTP connections, and the exchange that is done on each.
type httpConns[C interface {
	Do(*frame.Exchange) error
	Close() error
}] struct {
	all []C
	ask *frame.Exchange
}

// Again implements conns.
func (a *httpConns[C]) Again() error {
	for i, c := range a.all {
		if err := c.Do(a.ask); err != nil {
			return fmt.Errorf("connection %d after it was idle: %w", i, err)
		}
	}
	return nil
}

// Close implements conns.
func (a *httpConns[C]) Close() {
	for _, c := range a.all {
		c.Close()
	}
}

// Hold opens the connections, does an exchange on each, and writes a line to out. For every line that it reads from in, it
// does another exchange on each and writes another line. It returns when in ends, or with an error when a response is wrong.
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
