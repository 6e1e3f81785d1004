package main

import (
	"flag"
	"fmt"
	"io"
	"os"
)

// check looks for what no flag sees by itself.
func (opt *benchOptions) check(set *flag.FlagSet) error {
	given := given(set)
	switch {
	case opt.cfg.Conns < 1 || opt.cfg.Pipeline < 1:
		return usageError{"bench: -c and -pipeline want at least 1"}
	case opt.cfg.Duration <= 0 || opt.cfg.Timeout <= 0:
		return usageError{"bench: -d and -timeout want more than 0"}
	case given["n"] && opt.cfg.Requests < 1:
		return usageError{"bench: -n wants at least 1"}
	case given["n"] && opt.cfg.Warmup > 0:
		return usageError{"bench: -n counts from the first request on; it does not go with -warmup"}
	case given["pid"] && opt.pid < 1:
		return usageError{"bench: -pid wants the number of a process"}
	case !token(opt.cfg.Method) && given["X"]:
		return usageError{fmt.Sprintf("bench: -X %q is no method", opt.cfg.Method)}
	case isWebSocket(opt.cfg.URL) && (given["X"] || given["body"] || given["vary"]):
		return usageError{"bench: -X, -body and -vary are not for WebSocket; -size, -text and -deflate are"}
	case !isWebSocket(opt.cfg.URL) && (given["size"] || given["text"] || given["deflate"] || given["takeover"]):
		return usageError{"bench: -size, -text and -deflate are for URLs with ws:// or wss://"}
	case opt.cfg.Message.Takeover && !opt.cfg.Message.Deflate:
		return usageError{"bench: -takeover is about compressed messages, and wants -deflate"}
	case opt.htmlFile == "-":
		return usageError{"bench: -html wants the name of a file"}
	}
	if opt.cfg.Method == "" {
		opt.cfg.Method = "GET"
		if given["body"] {
			opt.cfg.Method = "POST"
		}
	}
	return nil
}

// given are the names of the flags that were given.
func given(set *flag.FlagSet) map[string]bool {
	names := map[string]bool{}
	set.Visit(func(f *flag.Flag) { names[f.Name] = true })
	return names
}

func (opt *benchOptions) readBody(name string, stdin io.Reader) (err error) {
	switch name {
	case "":
	case "-":
		opt.cfg.Body, err = io.ReadAll(stdin)
	default:
		opt.cfg.Body, err = os.ReadFile(name)
	}
	return err
}
