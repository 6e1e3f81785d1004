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
	set.Var(&f.Window, "window", "so many `BYTES` that nobody has taken may be there in a channel, to begin with; a fast one gets more")
	set.Var(&f.MaxMessage, "max-message", "take messages of at most so many `BYTES`; the peer is told. 0 is no bound")
	set.BoolVar(&opt.Cfg.AtMostOnce, "at-most-once", false, "a session ends with its connection")
	set.BoolVar(&opt.json, "json", false, "take commands and give events as lines of JSON; without it a line of stdin goes to channel 0, and a\n"+
		"message is shown as CHANNEL< text")
	set.BoolVar(&opt.digest, "digest", false, "show the SHA-256 of a message in place of it")
	set.BoolVar(&opt.echo, "echo", false, "send every message back to where it came from")
	if err := cli.ParseFlags(set, args, con); err != nil {
		return opt, err
	}
	if err := f.Check("mux"); err != nil {
		return opt, cli.UsageError("mux: " + err.Error())
	}
	f.Fill(&opt.Options)
	return opt, nil
}
