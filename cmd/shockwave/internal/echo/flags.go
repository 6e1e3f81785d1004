package echo

import (
	"flag"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/site"
)

// Options holds the parsed command line of echo.
type Options struct {
	site.Options
	Native     bool
	Deflate    bool // compress WebSocket messages
	WsCallback bool // serve WebSocket by callbacks
}

func parse(args []string, con cli.Console) (opt Options, err error) {
	set := flag.NewFlagSet("echo", flag.ContinueOnError)
	opt.Define(set, "")
	set.BoolVar(&opt.Native, "native", false, "answer with the native handler instead of net/http's types")
	set.BoolVar(&opt.Deflate, "deflate", false, "compress WebSocket messages (permessage-deflate) for clients that offer it")
	set.BoolVar(&opt.WsCallback, "ws-callback", false, "answer WebSocket by callbacks instead of a blocking loop for each connection")
	if err := cli.ParseFlags(set, args, con); err != nil {
		return opt, err
	}
	if opt.Addr == "" {
		return opt, cli.UsageError("echo: -addr HOST:PORT is missing")
	}
	return opt, opt.Check(set)
}
