package gateway

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"net"
	"net/url"
	"strconv"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/certs"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
)

// options holds the parsed command line of gateway.
type options struct {
	cfg       Config
	listen    []address
	handshake time.Duration // negative: no limit
	logFile   string
	certs     certs.Flags
}

// address is the address of a -listen flag.
type address struct {
	host   string // with port
	secure bool
}

// flags holds the values of the flags that fill converts into a options.
type flags struct {
	maxMessage                                                 cli.Bytes
	maxPeers                                                   cli.Count
	dial, stall, halfClose, heartbeat, idle, handshake, linger cli.Span
	subprotocols, origins                                      cli.Names
}

// parse parses the command line of gateway.
func parse(args []string, con cli.Console) (opt options, err error) {
	set := flag.NewFlagSet("gateway", flag.ContinueOnError)
	f := flags{
		maxMessage: 16 << 20, dial: cli.Span(10 * time.Second), stall: cli.Span(30 * time.Second), halfClose: cli.Span(2 * time.Second),
		handshake: cli.Span(10 * time.Second), linger: cli.Span(5 * time.Second),
	}
	f.define(set, &opt)
	if err := cli.ParseFlags(set, args, con); err != nil {
		return opt, err
	}
	if err := opt.check(); err != nil {
		return opt, cli.UsageError("gateway: " + err.Error())
	}
	f.fill(&opt)
	return opt, nil
}

// define registers the flags.
func (f *flags) define(set *flag.FlagSet, opt *options) {
	set.Func("listen", "listen for WebSocket on this `URL`: ws://H:P or wss://H:P; port 0 picks a free port. May be given again", opt.addListen)
	set.Func("to", "connect peers that ask for PATH with the service at URL: `PATH=URL`, such as /echo=tcp://127.0.0.1:7000 or\n"+
		"/echo=tls://H:P. Other paths are not upgraded. May be given again", opt.addRoute)
	set.BoolVar(&opt.cfg.Raw, "raw", false, "services use a plain byte stream: bytes of a service become binary messages as they come, and only the\npayloads of messages go to it")
	set.BoolVar(&opt.cfg.Text, "text", false, "accept text messages, too, and send the messages of services as text; they must be UTF-8")
	set.Var(&f.maxMessage, "max-message", "the largest message in `BYTES`, of peers and services; a larger one ends the connection; 0 is no limit")
	set.Var(&f.maxPeers, "max-peers", "accept so `MANY` peers and refuse others; 0 is no limit")
	set.Var(&f.subprotocols, "subprotocol", "the accepted subprotocols, best first: `A,B`; a client that offers none of them is refused")
	set.Var(&f.origins, "origin", "further origins whose pages may connect: `A,B`")
	set.Var(&f.dial, "dial", "the longest `TIME` to connect to a service; 0 is no limit")
	set.Var(&f.stall, "stall", "end a connection whose service has read nothing of the waiting bytes for this `TIME`; 0 waits for ever")
	set.Var(&f.halfClose, "half-close", "after a close frame of a peer, still pass on messages of the service for this `TIME`, and then answer it;\n0 answers at once")
	set.Var(&f.heartbeat, "heartbeat", "ping a peer after this `TIME` of silence; a peer that is silent for as long again is disconnected.\n0 sends no pings")
	set.Var(&f.idle, "idle", "end a connection without a message from either side for this `TIME`; 0 ends none")
	set.Var(&f.handshake, "handshake", "the longest `TIME` for TLS, and for the request; 0 is no limit")
	set.Var(&f.linger, "linger", "when a side has ended, and at the end, send received messages for this `TIME`")
	set.StringVar(&opt.logFile, "log", "-", "append a line for each peer to this `FILE` when its connection has ended; - is standard output, '' is no log")
	opt.certs.Define(set)
}

// addListen adds the address of a -listen flag.
func (opt *options) addListen(s string) error {
	u, err := url.Parse(s)
	if err != nil {
		return err.(*url.Error).Err
	}
	at := address{host: u.Host, secure: u.Scheme == "wss"}
	switch {
	case u.Scheme != "ws" && u.Scheme != "wss":
		return errors.New("the scheme is not ws or wss")
	case u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "" || u.User != nil:
		return errors.New("only a host and a port may stand here; paths belong to -to")
	case u.Port() == "":
		at.host = net.JoinHostPort(u.Hostname(), map[bool]string{false: "80", true: "443"}[at.secure])
	default:
		if _, err := strconv.ParseUint(u.Port(), 10, 16); err != nil {
			return errors.New("a port is a number up to 65535")
		}
	}
	opt.listen = append(opt.listen, at)
	return nil
}

// addRoute adds the route of a -to flag.
func (opt *options) addRoute(s string) error {
	r, err := ParseRoute(s)
	if err != nil {
		return err
	}
	for _, other := range opt.cfg.Routes {
		if other.Path == r.Path {
			return fmt.Errorf("%s leads to %s already", r.Path, other.To)
		}
	}
	opt.cfg.Routes = append(opt.cfg.Routes, r)
	return nil
}

// check reports the first error in the command line.
func (opt *options) check() error {
	switch {
	case len(opt.listen) == 0 || len(opt.cfg.Routes) == 0:
		return errors.New("it takes -listen URL and -to PATH=URL; gateway -h explains")
	case opt.cfg.Raw && opt.cfg.Text:
		return errors.New("-raw and -text exclude each other: a stream of bytes is not text")
	}
	return opt.certs.Check()
}

// fill converts the flags to options.
func (f *flags) fill(opt *options) {
	cfg := &opt.cfg
	cfg.MaxMessage, cfg.MaxPeers = uint32(min(int64(f.maxMessage), math.MaxUint32)), int(f.maxPeers)
	cfg.Subprotocols, cfg.Origins = f.subprotocols, f.origins
	cfg.Dial, cfg.Stall, cfg.HalfClose = time.Duration(f.dial), time.Duration(f.stall), time.Duration(f.halfClose)
	cfg.Heartbeat, cfg.Idle, cfg.Linger = time.Duration(f.heartbeat), time.Duration(f.idle), time.Duration(f.linger)
	opt.handshake = cli.OrNone(time.Duration(f.handshake))
}
