package main

import (
	"context"
	"flag"
	"net/http"

	"github.com/shockwave-go/shockwave/bench/internal/frame"
	"github.com/shockwave-go/shockwave/bench/internal/hold"
	"github.com/shockwave-go/shockwave/bench/internal/peer"
)

// holdCommand opens connections and keeps them open.
func holdCommand(_ context.Context, args []string, con console) error {
	set := flag.NewFlagSet("hold", flag.ContinueOnError)
	opt := hold.Options{Ask: frame.Exchange{Method: http.MethodGet}}
	set.StringVar(&opt.Addr, "addr", "", "`HOST:PORT` to connect to")
	set.IntVar(&opt.Conns, "conns", 100, "how many connections")
	set.BoolVar(&opt.TLS, "tls", false, "with TLS; any certificate will do")
	set.BoolVar(&opt.HTTP2, "http2", false, "each speaks HTTP/2")
	set.BoolVar(&opt.HTTP3, "http3", false, "each speaks HTTP/3; any certificate will do")
	set.BoolVar(&opt.WebSocket, "websocket", false, "each is a WebSocket and does an exchange; no TLS")
	set.StringVar(&opt.Socket, "socket", "", "each is one of the suite sockets on this `TRANSPORT`, tcp or ws, and does an exchange")
	set.StringVar(&opt.Ask.Path, "path", peer.PathText, "what each asks for")
	if err := parse(set, args, con); err != nil {
		return err
	}
	opt.Ask.ContentType, opt.Ask.Response, opt.Ask.Close = peer.Expect(opt.Ask.Path, 0)
	if opt.HTTP2 {
		opt.Ask.ContentType = "" // some HTTP/2 peers send another Content-Type; the suite's check has already compared the rest
	}
	return hold.Hold(opt, con.in, con.out)
}
