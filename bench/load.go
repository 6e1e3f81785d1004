package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/besides"
	"github.com/shockwave-go/shockwave/bench/internal/h3load"
	"github.com/shockwave-go/shockwave/bench/internal/load"
	"github.com/shockwave-go/shockwave/bench/internal/sockload"
	"github.com/shockwave-go/shockwave/bench/internal/sockpeer"
	"github.com/shockwave-go/shockwave/bench/internal/wsload"
	"github.com/shockwave-go/shockwave/bench/internal/wspeer"
)

// loadCommand makes kinds of load that shockwave bench has no flags for, and prints its figures in the same JSON.
func loadCommand(_ context.Context, args []string, con console) error {
	set := flag.NewFlagSet("load", flag.ContinueOnError)
	var opt wsload.Options
	set.StringVar(&opt.Addr, "addr", "", "`HOST:PORT` to connect to")
	set.IntVar(&opt.PID, "pid", 0, "the server's `PROCESS`, whose processor time is read")
	set.IntVar(&opt.Conns, "c", 100, "how many connections")
	set.DurationVar(&opt.Warmup, "warmup", 0, "for how long nothing is counted at first")
	set.DurationVar(&opt.Duration, "d", 3*time.Second, "for how long is counted")
	socket := set.String("socket", "tcp", "told, trickle: the `TRANSPORT`, tcp or ws")
	kind := set.String("kind", "deflate", "deflate: echoes of compressed WebSocket messages; broadcast: one speaks "+
		"and all hear; neighbours: one connection of HTTP/2; mixed: HTTP/1.1 and HTTP/2; told: broadcast of a peer of the suite "+
		"sockets; trickle: a message now and then on each connection to one; handshakes: HTTP/3, each request on a new connection")
	if err := parse(set, args, con); err != nil {
		return err
	}
	var (
		a   *load.Account
		err error
	)
	switch *kind {
	case "deflate":
		a, err = wsload.Deflate(wspeer.PathDeflate, opt)
	case "broadcast":
		a, err = wsload.Broadcast(wspeer.PathRoom, opt)
	case "neighbours":
		a, err = besides.Neighbours(besides.Options(opt))
	case "mixed":
		a, err = besides.Mixed(besides.Options(opt))
	case "handshakes":
		a, err = h3load.Handshakes(opt)
	case "told":
		a, err = wsload.Tell(sockpeer.OrderRoom, *socket == "tcp", opt)
	case "trickle":
		a, err = sockload.Trickle(*socket == "tcp", opt)
	default:
		err = fmt.Errorf("unknown load %q; %w", *kind, errUsage)
	}
	if err != nil {
		return err
	}
	return json.NewEncoder(con.out).Encode(a)
}
