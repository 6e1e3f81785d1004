package socket

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/certs"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
	"github.com/shockwave-go/shockwave/streamsock"
)

// options holds the parsed command line of socket.
type options struct {
	cfg       streamsock.Config
	addresses []socketAddress // in the order of the command line
	json      bool
	digest    bool
	echo      bool
	quiet     bool
	linger    time.Duration
	require   http.Header // header fields that ws and wss requests must have
	certs     certs.Flags
}

// socketAddress is the URL of a -bind or -connect flag.
type socketAddress struct {
	url  string
	bind bool
}

// flags holds the values of the flags that fill converts into a options.
type flags struct {
	prefixed                          bool
	maxMessage, queueBytes            cli.Bytes
	maxPeers, acceptRate, queueLength cli.Count
	slow                              policy
	heartbeat, idle, handshake        cli.Span
	linger                            cli.Span
	redial                            cli.Redial
	lastID                            uint64
	subprotocols, origins             cli.Names
	require, header                   cli.Fields
}

// parse parses the command line of socket.
func parse(args []string, con cli.Console) (opt options, err error) {
	set := flag.NewFlagSet("socket", flag.ContinueOnError)
	f := flags{
		maxMessage: 16 << 20, queueBytes: 4 << 20, queueLength: 1000, handshake: cli.Span(10 * time.Second),
		linger: cli.Span(5 * time.Second), redial: cli.Redial{First: 100 * time.Millisecond, Longest: 5 * time.Second}, lastID: math.MaxUint32,
	}
	f.define(set, &opt)
	if err := cli.ParseFlags(set, args, con); err != nil {
		return opt, err
	}
	if err := opt.check(&f); err != nil {
		return opt, cli.UsageError("socket: " + err.Error())
	}
	f.fill(&opt)
	return opt, nil
}

// define registers the flags.
func (f *flags) define(set *flag.FlagSet, opt *options) {
	set.Func("bind", "listen on this `URL`: tcp://H:P, tls://H:P, ws://H:P[/PATH], wss://H:P[/PATH]; port 0 picks a free\n"+
		"port; with a PATH only that path is upgraded. May be given again", func(s string) error { opt.addresses = append(opt.addresses, socketAddress{s, true}); return nil })
	set.Func("connect", "dial this `URL`, and again when the connection breaks. May be given again",
		func(s string) error { opt.addresses = append(opt.addresses, socketAddress{s, false}); return nil })
	set.BoolVar(&opt.json, "json", false, "read commands and write events as lines of JSON; without it a line of stdin goes to every peer, and\n"+
		"a message is shown as ID< text")
	set.BoolVar(&f.prefixed, "prefixed", false, "ws and wss carry the byte stream of tcp in binary frames, as zlink does")
	set.BoolVar(&opt.cfg.Text, "text", false, "send and accept text messages on ws and wss")
	set.BoolVar(&opt.digest, "digest", false, "show the SHA-256 of a message instead of its content")
	set.BoolVar(&opt.echo, "echo", false, "send every message back to its sender")
	set.BoolVar(&opt.quiet, "quiet", false, "show no messages")
	set.Var(&f.maxMessage, "max-message", "the largest message in `BYTES`, in either direction; a peer that sends a larger one is disconnected; 0 is no limit")
	f.defineBounds(set)
	set.Var(&f.subprotocols, "subprotocol", "the accepted subprotocols of ws and wss, best first: `A,B`; a client that offers none of them is\n"+
		"refused")
	set.Var(&f.origins, "origin", "further origins whose pages may connect by ws and wss: `A,B`")
	set.Var(&f.require, "require", "refuse requests of ws and wss without this `'FIELD: VALUE'`; may be given again")
	set.Var(&f.header, "header", "send this `'FIELD: VALUE'` when dialling ws and wss; may be given again")
	opt.certs.Define(set)
}

// defineBounds registers the flags that set limits and times.
func (f *flags) defineBounds(set *flag.FlagSet) {
	set.Var(&f.maxPeers, "max-peers", "accept so `MANY` peers and refuse others; 0 is no limit")
	set.Var(&f.acceptRate, "accept-rate", "accept so `MANY` connections per second and let others wait; 0 is no limit")
	set.Var(&f.queueBytes, "queue-bytes", "at most so many `BYTES` wait for a peer; an empty queue takes one message of any size")
	set.Var(&f.queueLength, "queue-messages", "at most so `MANY` messages wait for a peer")
	set.Var(&f.slow, "slow", "the `POLICY` for messages to a peer whose queue is full: block, fail, drop (the oldest one) or close (the connection)")
	set.Var(&f.heartbeat, "heartbeat", "ping a peer on ws and wss after this `TIME` of silence; a peer that is silent for as long again is disconnected.\n0 sends no pings")
	set.Var(&f.idle, "idle", "end a connection on which nothing was received for this `TIME`; 0 ends none")
	set.Var(&f.handshake, "handshake", "the longest `TIME` until a connection can be used; 0 is no limit")
	set.Var(&f.linger, "linger", "at the end, send queued messages for this `TIME`")
	set.Var(&f.redial, "redial", "the `FIRST,LONGEST` wait before a broken connection is dialled again; 0 dials once, and fails if that fails")
	set.Uint64Var(&f.lastID, "last-id", f.lastID, "ids are 1 to `N`, and then begin again")
}

// check reports the first error in the command line.
func (opt *options) check(f *flags) error {
	switch {
	case len(opt.addresses) == 0:
		return errors.New("it takes -bind URL or -connect URL; socket -h explains")
	case f.prefixed && opt.cfg.Text:
		return errors.New("-prefixed and -text exclude each other: a stream of bytes is not text")
	case f.lastID < 1 || f.lastID > math.MaxUint32:
		return errors.New("-last-id wants 1 to 4294967295")
	}
	for _, p := range opt.addresses {
		if err := streamsock.CheckAddress(p.url); err != nil {
			return err
		}
		if p.bind && strings.Contains(p.url, "?") {
			return fmt.Errorf("%s: a query has no meaning for -bind", p.url)
		}
	}
	return opt.certs.Check()
}

// fill converts the flags to options. A flag of 0 means none, for which streamsock.Config has a negative number.
func (f *flags) fill(opt *options) {
	cfg := &opt.cfg
	if f.prefixed {
		cfg.Framing = streamsock.FramingPrefixed
	}
	cfg.MaxMessage = cli.OrNone(int(min(int64(f.maxMessage), math.MaxInt)))
	cfg.MaxPeers, cfg.AcceptRate = int(f.maxPeers), int(f.acceptRate)
	cfg.QueueBytes, cfg.QueueMessages, cfg.Slow = cli.OrNone(int64(f.queueBytes)), cli.OrNone(int(f.queueLength)), streamsock.Slow(f.slow)
	cfg.PingInterval, cfg.IdleTimeout = time.Duration(f.heartbeat), time.Duration(f.idle)
	cfg.HandshakeTimeout, cfg.Linger = cli.OrNone(time.Duration(f.handshake)), cli.OrNone(time.Duration(f.linger))
	cfg.RedialFirst, cfg.RedialLongest = cli.OrNone(f.redial.First), cli.OrNone(f.redial.Longest)
	cfg.LastID = streamsock.ID(f.lastID)
	cfg.Subprotocols, cfg.Origins = f.subprotocols, f.origins
	cfg.Header, opt.require = httpHeader(&f.header), httpHeader(&f.require)
	opt.linger = time.Duration(f.linger)
}

// httpHeader converts the fields of a flag to an http.Header.
func httpHeader(f *cli.Fields) http.Header {
	h := http.Header{}
	for i := range f.Header.Len() {
		name, value := f.Header.At(i)
		h.Add(string(name), string(value))
	}
	return h
}

// policy is the value of -slow: what happens to a message for a peer whose queue is full.
type policy streamsock.Slow

var policies = map[string]streamsock.Slow{
	"block": streamsock.BlockWhenSlow, "fail": streamsock.FailWhenSlow, "drop": streamsock.DropOldest, "close": streamsock.CloseWhenSlow,
}

func (p *policy) String() string {
	for name, slow := range policies {
		if slow == streamsock.Slow(*p) {
			return name
		}
	}
	return ""
}

func (p *policy) Set(s string) error {
	slow, ok := policies[s]
	if !ok {
		return errors.New("want block, fail, drop or close")
	}
	*p = policy(slow)
	return nil
}
