package mux

import (
	"flag"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/sessions"
)

// options holds the parsed command line of mux.
type options struct {
	sessions.Options
	json   bool
	digest bool
	echo   bool
}

// parse parses the command line of mux.
func parse(args []string, con cli.Console) (opt options, err error) {
	set := flag.NewFlagSet("mux", flag.ContinueOnError)
	f := sessions.NewFlags()
	f.Define(set)
	set.Var(&f.Window, "window", "at most so many unread `BYTES` wait in a channel at first; a fast channel gets more")
	set.Var(&f.MaxMessage, "max-message", "accept messages of at most so many `BYTES`; the peer is told. 0 is no limit")
	set.BoolVar(&opt.Cfg.AtMostOnce, "at-most-once", false, "a session ends with its connection")
	set.BoolVar(&opt.json, "json", false, "read commands and write events as lines of JSON; without it a line of stdin goes to channel 0, and a\n"+
		"message is shown as CHANNEL< text")
	set.BoolVar(&opt.digest, "digest", false, "show the SHA-256 of a message instead of its content")
	set.BoolVar(&opt.echo, "echo", false, "send every message back on its channel")
	if err := cli.ParseFlags(set, args, con); err != nil {
		return opt, err
	}
	if err := f.Check("mux"); err != nil {
		return opt, cli.UsageError("mux: " + err.Error())
	}
	f.Fill(&opt.Options)
	return opt, nil
}
