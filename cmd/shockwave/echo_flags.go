package main

import "flag"

// echoOptions holds the parsed command line of echo.
type echoOptions struct {
	siteOptions
	native     bool
	deflate    bool // compress WebSocket messages
	wsCallback bool // serve WebSocket by callbacks
}

func parseEcho(args []string, con console) (opt echoOptions, err error) {
	set := flag.NewFlagSet("echo", flag.ContinueOnError)
	opt.define(set, "")
	set.BoolVar(&opt.native, "native", false, "answer with the native handler instead of net/http's types")
	set.BoolVar(&opt.deflate, "deflate", false, "compress WebSocket messages (permessage-deflate) for clients that offer it")
	set.BoolVar(&opt.wsCallback, "ws-callback", false, "answer WebSocket by callbacks instead of a blocking loop for each connection")
	if err := parseFlags(set, args, con); err != nil {
		return opt, err
	}
	if opt.addr == "" {
		return opt, usageError{"echo: -addr HOST:PORT is missing"}
	}
	return opt, opt.check(set)
}
