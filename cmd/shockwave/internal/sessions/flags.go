package sessions

import (
	"errors"
	"flag"
	"math"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/certs"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
	"github.com/shockwave-go/shockwave/tcpmux"
)

// HostPort reports whether addr is a host and a numeric port.
func HostPort(addr string) bool {
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	_, err = strconv.ParseUint(port, 10, 16)
	return err == nil
}

// Options says how sessions are opened and configured.
type Options struct {
	Cfg    tcpmux.Config
	Listen bool
	URL    string
	Once   bool // the first connection is tried only once
	Linger time.Duration
	Certs  certs.Flags
}

// Flags holds the flags of the commands that use sessions: mux and forward.
type Flags struct {
	listen, connect                          string
	redial                                   cli.Redial
	resumeTime, keepalive, handshake, linger cli.Span
	resumeBytes, Window, MaxMessage          cli.Bytes
	maxChannels                              cli.Count
	certs                                    certs.Flags
}

// NewFlags returns the defaults.
func NewFlags() Flags {
	return Flags{
		redial: cli.Redial{First: 50 * time.Millisecond, Longest: 500 * time.Millisecond}, resumeTime: cli.Span(time.Minute), resumeBytes: 16 << 20,
		Window: 256 << 10, MaxMessage: 16 << 20, maxChannels: 65536, keepalive: cli.Span(15 * time.Second),
		handshake: cli.Span(10 * time.Second), linger: cli.Span(5 * time.Second),
	}
}

// Define registers the flags.
func (f *Flags) Define(set *flag.FlagSet) {
	set.StringVar(&f.listen, "listen", "", "listen on this `URL`: tcp://H:P or tls://H:P; port 0 picks a free port. Each dialler gets a session")
	set.StringVar(&f.connect, "connect", "", "dial this `URL`: one session, which outlives its connections")
	set.Var(&f.redial, "redial", "the `FIRST,LONGEST` wait before a broken connection is dialled again; the very first try is made at once.\nWith 0 the first connection is tried only once")
	set.Var(&f.resumeTime, "resume-time", "a session without a connection is given up after this `TIME`")
	set.Var(&f.resumeBytes, "resume-bytes", "at most so many `BYTES` are sent and not acknowledged; then sends wait")
	set.Var(&f.maxChannels, "max-channels", "a session has at most so `MANY` channels at a time; more are reset")
	set.Var(&f.keepalive, "keepalive", "send a ping after this `TIME` of silence; after twice as long the connection is broken. 0 sends none")
	set.Var(&f.handshake, "handshake", "the longest `TIME` until a connection can be used, and for retrying the first one; 0 is no limit")
	set.Var(&f.linger, "linger", "at the end, wait for this `TIME` until all messages are acknowledged")
	f.certs.Define(set)
}

// Check reports the first error in the command line. name is the command's name.
func (f *Flags) Check(name string) error {
	if (f.listen == "") == (f.connect == "") {
		return errors.New("it takes one of -listen URL and -connect URL; " + name + " -h explains")
	}
	scheme, addr, ok := strings.Cut(f.listen+f.connect, "://")
	if !ok || scheme != "tcp" && scheme != "tls" {
		return errors.New("want tcp://HOST:PORT or tls://HOST:PORT, not " + f.listen + f.connect)
	}
	if !HostPort(addr) || strings.ContainsAny(addr, "/?#@") {
		return errors.New("want a host and a port up to 65535, not " + addr)
	}
	return f.certs.Check()
}

// Fill converts the flags to options. A flag of 0 means none, for which tcpmux.Config has a negative number.
func (f *Flags) Fill(opt *Options) {
	cfg := &opt.Cfg
	cfg.MaxMessage = cli.OrNone(int(min(int64(f.MaxMessage), math.MaxInt)))
	cfg.MaxChannels, cfg.Window = cli.OrNone(int(f.maxChannels)), cli.OrNone(int(min(int64(f.Window), math.MaxInt)))
	cfg.ResumeTimeout, cfg.ResumeBytes = cli.OrNone(time.Duration(f.resumeTime)), cli.OrNone(int(min(int64(f.resumeBytes), math.MaxInt)))
	cfg.PingInterval, cfg.HandshakeTimeout = cli.OrNone(time.Duration(f.keepalive)), cli.OrNone(time.Duration(f.handshake))
	cfg.RedialFirst, cfg.RedialLongest = cli.OrNone(f.redial.First), cli.OrNone(f.redial.Longest)
	cfg.Linger = time.Duration(f.linger)
	if f.linger == 0 {
		cfg.Linger = time.Nanosecond
	}
	opt.Listen, opt.URL, opt.Linger, opt.Certs = f.listen != "", f.listen+f.connect, time.Duration(f.linger), f.certs
	opt.Once = f.redial.First == 0
}

// setTLS sets up TLS if the URL is a tls:// one.
func (opt *Options) setTLS() (err error) {
	switch {
	case !strings.HasPrefix(opt.URL, "tls:"):
	case opt.Listen:
		opt.Cfg.TLSConfig, err = opt.Certs.Listening()
	default:
		opt.Cfg.TLSConfig, err = opt.Certs.Dialling()
	}
	return err
}
