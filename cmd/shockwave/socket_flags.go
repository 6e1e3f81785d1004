package main

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave/streamsock"
)

// socketOptions holds the parsed command line of socket.
type socketOptions struct {
	cfg       streamsock.Config
	addresses []socketAddress // in the order of the command line
	json      bool
	digest    bool
	echo      bool
	quiet     bool
	linger    time.Duration
	require   http.Header // header fields that ws and wss requests must have
	certs     certFlags
}

// socketAddress is the URL of a -bind or -connect flag.
type socketAddress struct {
	url  string
	bind bool
}

// socketFlags holds the values of the flags that fill converts into a socketOptions.
type socketFlags struct {
	prefixed                          bool
	maxMessage, queueBytes            byteCount
	maxPeers, acceptRate, queueLength count
	slow                              policy
	heartbeat, idle, handshake        span
	linger                            span
	redial                            redial
	lastID                            uint64
	subprotocols, origins             names
	require, header                   fields
}

// parseSocket parses the command line of socket.
func parseSocket(args []string, con console) (opt socketOptions, err error) {
	set := flag.NewFlagSet("socket", flag.ContinueOnError)
	f := socketFlags{
		maxMessage: 16 << 20, queueBytes: 4 << 20, queueLength: 1000, handshake: span(10 * time.Second),
		linger: span(5 * time.Second), redial: redial{100 * time.Millisecond, 5 * time.Second}, lastID: math.MaxUint32,
	}
	f.define(set, &opt)
	if err := parseFlags(set, args, con); err != nil {
		return opt, err
	}
	if err := opt.check(&f); err != nil {
		return opt, usageError{"socket: " + err.Error()}
	}
	f.fill(&opt)
	return opt, nil
}

// define registers the flags.
func (f *socketFlags) define(set *flag.FlagSet, opt *socketOptions) {
	set.Func("bind", "listen on this `URL`: tcp://H:P, tls://H:P, ws://H:P[/PATH], wss://H:P[/PATH]; port 0 picks one; of a PATH\n"+
		"only that is upgraded. May be given again", func(s string) error { opt.addresses = append(opt.addresses, socketAddress{s, true}); return nil })
	set.Func("connect", "dial this `URL`, and dial it again when the connection has broken. May be given again",
		func(s string) error { opt.addresses = append(opt.addresses, socketAddress{s, false}); return nil })
	set.BoolVar(&opt.json, "json", false, "take commands and give events as lines of JSON; without it a line of stdin goes to every peer, and\n"+
		"a message is shown as ID< text")
	set.BoolVar(&f.prefixed, "prefixed", false, "ws and wss carry the byte stream of tcp in binary frames, as zlink does")
	set.BoolVar(&opt.cfg.Text, "text", false, "send and take text messages on ws and wss")
	set.BoolVar(&opt.digest, "digest", false, "show the SHA-256 of a message in place of it")
	set.BoolVar(&opt.echo, "echo", false, "send every message back to where it came from")
	set.BoolVar(&opt.quiet, "quiet", false, "show no messages")
	set.Var(&f.maxMessage, "max-message", "end the connection of a peer that sends a message of more than so many `BYTES`, and send none; 0 is no bound")
	f.defineBounds(set)
	set.Var(&f.subprotocols, "subprotocol", "the subprotocols of ws and wss that are spoken here, best first: `A,B`; a client that offers none of\n"+
		"them is refused")
	set.Var(&f.origins, "origin", "further origins whose pages may connect by ws and wss: `A,B`")
	set.Var(&f.require, "require", "refuse requests of ws and wss without this `'FIELD: VALUE'`; may be given again")
	set.Var(&f.header, "header", "send this `'FIELD: VALUE'` when dialling ws and wss; may be given again")
	opt.certs.define(set)
}

// defineBounds registers the flags that set limits and times.
func (f *socketFlags) defineBounds(set *flag.FlagSet) {
	set.Var(&f.maxPeers, "max-peers", "accept so `MANY` peers and refuse others; 0 is no bound")
	set.Var(&f.acceptRate, "accept-rate", "accept so `MANY` connections in a second and have others wait; 0 is no bound")
	set.Var(&f.queueBytes, "queue-bytes", "so many `BYTES` may wait for a peer; an empty queue takes one message of any size")
	set.Var(&f.queueLength, "queue-messages", "so `MANY` messages may wait for a peer")
	set.Var(&f.slow, "slow", "the `POLICY` for messages to a peer whose queue is full: block, fail, drop (the oldest one) or close (the connection)")
	set.Var(&f.heartbeat, "heartbeat", "ask a peer on ws and wss for a sign of life after this `TIME` of silence; one that gives none for as long\nagain is gone. 0 asks nobody")
	set.Var(&f.idle, "idle", "end a connection on which nothing has come for this `TIME`; 0 ends none")
	set.Var(&f.handshake, "handshake", "the longest `TIME` before a connection is complete; 0 is no bound")
	set.Var(&f.linger, "linger", "what is queued may take this `TIME` to leave at the end")
	set.Var(&f.redial, "redial", "the `FIRST,LONGEST` wait before a broken connection is dialled again; 0 dials once, and fails if that does")
	set.Uint64Var(&f.lastID, "last-id", f.lastID, "ids are 1 to `N`, and round again")
}

// check reports the first error in the command line.
func (opt *socketOptions) check(f *socketFlags) error {
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
	return opt.certs.check()
}

// fill converts the flags to options. A flag of 0 means none, for which streamsock.Config has a negative number.
func (f *socketFlags) fill(opt *socketOptions) {
	cfg := &opt.cfg
	if f.prefixed {
		cfg.Framing = streamsock.FramingPrefixed
	}
	cfg.MaxMessage = orNone(int(min(int64(f.maxMessage), math.MaxInt)))
	cfg.MaxPeers, cfg.AcceptRate = int(f.maxPeers), int(f.acceptRate)
	cfg.QueueBytes, cfg.QueueMessages, cfg.Slow = orNone(int64(f.queueBytes)), orNone(int(f.queueLength)), streamsock.Slow(f.slow)
	cfg.PingInterval, cfg.IdleTimeout = time.Duration(f.heartbeat), time.Duration(f.idle)
	cfg.HandshakeTimeout, cfg.Linger = orNone(time.Duration(f.handshake)), orNone(time.Duration(f.linger))
	cfg.RedialFirst, cfg.RedialLongest = orNone(f.redial.first), orNone(f.redial.longest)
	cfg.LastID = streamsock.ID(f.lastID)
	cfg.Subprotocols, cfg.Origins = f.subprotocols, f.origins
	cfg.Header, opt.require = httpHeader(&f.header), httpHeader(&f.require)
	opt.linger = time.Duration(f.linger)
}

// orNone returns v, or -1 if v is 0.
func orNone[T ~int | ~int64](v T) T {
	if v == 0 {
		return -1
	}
	return v
}

// httpHeader converts the fields of a flag to an http.Header.
func httpHeader(f *fields) http.Header {
	h := http.Header{}
	for i := range f.header.Len() {
		name, value := f.header.At(i)
		h.Add(string(name), string(value))
	}
	return h
}

// byteCount is the value of a flag for a number of bytes, such as 1000, 64KiB or 16MiB.
type byteCount int64

var sizeUnits = []struct {
	name  string
	bytes int64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"B", 1}, {"", 1}}

func (b *byteCount) String() string {
	for _, u := range slices.Backward(sizeUnits[:3]) {
		if *b != 0 && int64(*b)%u.bytes == 0 {
			return fmt.Sprint(int64(*b)/u.bytes, u.name)
		}
	}
	return strconv.FormatInt(int64(*b), 10)
}

func (b *byteCount) Set(s string) error {
	for _, u := range sizeUnits {
		digits, ok := strings.CutSuffix(s, u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseUint(digits, 10, 63)
		if err != nil || n > math.MaxInt64/uint64(u.bytes) {
			break
		}
		*b = byteCount(int64(n) * u.bytes)
		return nil
	}
	return errors.New("want a number of bytes such as 65536, 64KiB or 16MiB")
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

// redial is the value of -redial: FIRST,LONGEST. A single time sets FIRST, and raises LONGEST if that would be shorter.
type redial struct{ first, longest time.Duration }

func (r *redial) String() string { return fmt.Sprintf("%v,%v", r.first, r.longest) }

func (r *redial) Set(s string) error {
	first, longest, two := strings.Cut(s, ",")
	var a, b span
	if err := a.Set(first); err != nil {
		return err
	}
	if b = max(span(r.longest), a); two {
		if err := b.Set(longest); err != nil {
			return err
		}
	}
	if b < a {
		return errors.New("the longest wait is shorter than the first")
	}
	*r = redial{time.Duration(a), time.Duration(b)}
	return nil
}

// names is the value of a flag for a comma-separated list. Giving the flag again adds to the list.
type names []string

func (n *names) String() string { return strings.Join(*n, ",") }

func (n *names) Set(s string) error {
	for name := range strings.SplitSeq(s, ",") {
		if name = strings.TrimSpace(name); name == "" {
			return errors.New("want words with commas between them")
		}
		*n = append(*n, name)
	}
	return nil
}
