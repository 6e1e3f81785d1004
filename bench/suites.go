package main

import (
	"context"

	"github.com/shockwave-go/shockwave/bench/internal/channels"
	"github.com/shockwave-go/shockwave/bench/internal/client"
	"github.com/shockwave-go/shockwave/bench/internal/http1"
	"github.com/shockwave-go/shockwave/bench/internal/http2"
	"github.com/shockwave-go/shockwave/bench/internal/http3"
	"github.com/shockwave-go/shockwave/bench/internal/sockets"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
	"github.com/shockwave-go/shockwave/bench/internal/websocket"
)

// published is the order of the suites on the pages.
var published = []string{"http1", "http2", "http3", "client", "websocket", "sockets", "channels"}

// suites are the constructors of all suites by name. A results file names one of them.
var suites = map[string]func() *suite.Suite{
	"http1": http1.Suite, "http2": http2.Suite, "http3": http3.Suite, "websocket": websocket.Suite, "client": client.Suite,
	"sockets": sockets.Suite, "channels": channels.Suite,
}

// measureCommand returns the command that measures a suite.
func measureCommand(newSuite func() *suite.Suite) func(context.Context, []string, console) error {
	return func(ctx context.Context, args []string, con console) error {
		s := newSuite()
		opt, err := parseMeasure(s, args, con)
		if err != nil {
			return err
		}
		return measure(ctx, s, opt, con)
	}
}
