package main

import (
	"errors"
	"flag"
	"math"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave/tcpmux"
)

// muxOptions holds the parsed command line of mux.
type muxOptions struct {
	sessionOptions
	json   bool
	digest bool
	echo   bool
}

// sessionOptions says how sessions are opened and configured.
type sessionOptions struct {
	cfg    tcpmux.Config
	listen bool
	url    string
	once   bool // the first connection is tried only once
	linger time.Duration
	certs  certFlags
}

// sessionFlags holds the flags of the commands that use sessions: mux and forward.
type sessionFlags struct {
	listen, connect                          string
	redial                                   redial
	resumeTime, keepalive, handshake, linger span
	resumeBytes, window, maxMessage          byteCount
	maxChannels                              count
	certs                                    certFlags
}

func newSessionFlags() sessionFlags {
	return sessionFlags{
		redial: redial{50 * time.Millisecond, 500 * time.Millisecond}, resumeTime: span(time.Minute), resumeBytes: 16 << 20,
		window: 256 << 10, maxMessage: 16 << 20, maxChannels: 65536, keepalive: span(15 * time.Second),
		handshake: span(10 * time.Second), linger: span(5 * time.Second),
	}
}

// parseMux parses the command line of mux.
func parseMux(args []string, con console) (opt muxOptions, err error) {
	set := flag.NewFlagSet("mux", flag.ContinueOnError)
	f := newSessionFlags()
	f.define(set)
	set.Var(&f.window, "window", "so many `BYTES` that nobody has taken may be there in a channel, to begin with; a fast one gets more")
	set.Var(&f.maxMessage, "max-message", "take messages of at most so many `BYTES`; the peer is told. 0 is no bound")
	set.BoolVar(&opt.cfg.AtMostOnce, "at-most-once", false, "a session ends with its connection")
	set.BoolVar(&opt.json, "json", false, "take commands and give events as lines of JSON; without it a line of stdin goes to channel 0, and a\n"+
		"message is shown as CHANNEL< text")
	set.BoolVar(&opt.digest, "digest", false, "show the SHA-256 of a message in place of it")
	set.BoolVar(&opt.echo, "echo", false, "send every message back to where it came from")
	if err := parseFlags(set, args, con); err != nil {
		return opt, err
	}
	if err := f.check("mux"); err != nil {
		return opt, usageError{"mux: " + err.Error()}
	}
	f.fill(&opt.sessionOptions)
	return opt, nil
}

// define registers the flags.
func (f *sessionFlags) define(set *flag.FlagSet) {
	set.StringVar(&f.listen, "listen", "", "listen on this `URL`: tcp://H:P or tls://H:P; port 0 picks one. Each dialler gets a session")
	set.StringVar(&f.connect, "connect", "", "dial this `URL`: one session, which outlives its connections")
	set.Var(&f.redial, "redial", "the `FIRST,LONGEST` wait before a connection that has broken is dialled again; the very first try is made at\nonce. With 0 the first connection is tried only once")
	set.Var(&f.resumeTime, "resume-time", "a session without a connection is given up after this `TIME`")
	set.Var(&f.resumeBytes, "resume-bytes", "so many `BYTES` may have been sent and not acknowledged; beyond that sends wait")
	set.Var(&f.maxChannels, "max-channels", "a session may have so `MANY` channels at a time; more are reset")
	set.Var(&f.keepalive, "keepalive", "ask for a sign of life after this `TIME` of silence; twice as long is a broken connection. 0 asks nobody")
	set.Var(&f.handshake, "handshake", "the longest `TIME` before a connection is complete, and in which the first one is tried again; 0 is no bound")
	set.Var(&f.linger, "linger", "what was sent may take this `TIME` to be acknowledged at the end")
	f.certs.define(set)
}

// check reports the first error in the command line. name is the command's name.
func (f *sessionFlags) check(name string) error {
	if (f.listen == "") == (f.connect == "") {
		return errors.New("it takes one of -listen URL and -connect URL; " + name + " -h explains")
	}
	scheme, addr, ok := strings.Cut(f.listen+f.connect, "://")
	if !ok || scheme != "tcp" && scheme != "tls" {
		return errors.New("want tcp://HOST:PORT or tls://HOST:PORT, not " + f.listen + f.connect)
	}
	if !hostPort(addr) || strings.ContainsAny(addr, "/?#@") {
		return errors.New("want a host and a port up to 65535, not " + addr)
	}
	return f.certs.check()
}

// fill converts the flags to options. A flag of 0 means none, for which tcpmux.Config has a negative number.
func (f *sessionFlags) fill(opt *sessionOptions) {
	cfg := &opt.cfg
	cfg.MaxMessage = orNone(int(min(int64(f.maxMessage), math.MaxInt)))
	cfg.MaxChannels, cfg.Window = orNone(int(f.maxChannels)), orNone(int(min(int64(f.window), math.MaxInt)))
	cfg.ResumeTimeout, cfg.ResumeBytes = orNone(time.Duration(f.resumeTime)), orNone(int(min(int64(f.resumeBytes), math.MaxInt)))
	cfg.PingInterval, cfg.HandshakeTimeout = orNone(time.Duration(f.keepalive)), orNone(time.Duration(f.handshake))
	cfg.RedialFirst, cfg.RedialLongest = orNone(f.redial.first), orNone(f.redial.longest)
	cfg.Linger = time.Duration(f.linger)
	if f.linger == 0 {
		cfg.Linger = time.Nanosecond
	}
	opt.listen, opt.url, opt.linger, opt.certs = f.listen != "", f.listen+f.connect, time.Duration(f.linger), f.certs
	opt.once = f.redial.first == 0
}

// setTLS sets up TLS if the URL is a tls:// one.
func (opt *sessionOptions) setTLS() (err error) {
	switch {
	case !strings.HasPrefix(opt.url, "tls:"):
	case opt.listen:
		opt.cfg.TLSConfig, err = opt.certs.listening()
	default:
		opt.cfg.TLSConfig, err = opt.certs.dialling()
	}
	return err
}
