package main

import (
	"crypto/tls"
	"flag"
	"fmt"
	"io"
	"regexp"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load"
)

// benchOptions is bench's command line.
type benchOptions struct {
	cfg      load.Config
	pid      int    // report what this process used; 0: none
	jsonFile string // "-" is standard output
	htmlFile string
	quiet    bool
	command  string // how to run it again, without what is secret
}

// parseBench parses bench's command line, whose URL may stand before, between or after the flags. It reads the body,
// which may be stdin.
func parseBench(args []string, stdin io.Reader, con console) (opt benchOptions, err error) {
	set := flag.NewFlagSet("bench", flag.ContinueOnError)
	conns, pipeline, requests := count(64), count(1), count(0)
	rate, head := frequency(0), fields{}
	length, warmup, timeout := span(10*time.Second), span(0), span(10*time.Second)
	set.Var(&conns, "c", "connections, kept open; `N` may end in k for thousands")
	set.Var(&length, "d", "how long to count: a `TIME` such as 10s or 2m; a bare number is seconds")
	set.Var(&requests, "n", "end when `N` requests or messages have been answered or have failed; -d then ends it earlier\n"+
		"only if it is given too")
	set.Var(&pipeline, "pipeline", "keep `N` requests or messages in flight on each connection")
	set.Var(&rate, "rate", "send `N` requests or messages per second over all connections (10k is 10,000), evenly spaced, and count\n"+
		"latency from the moment a request was due; 0 sends as many as possible")
	set.Var(&warmup, "warmup", "send load for this `TIME` before counting begins")
	set.Var(&timeout, "timeout", "the longest `TIME` to try to connect, and to wait for one answer")
	set.StringVar(&opt.cfg.Method, "X", "", "the `METHOD`; without it GET, or POST with a body")
	set.Var(&head, "H", "send this `'NAME: VALUE'` with every request; may be given again")
	bodyFile := set.String("body", "", "send the content of this `FILE` with every request; - is standard input")
	set.BoolVar(&opt.cfg.Vary, "vary", false, "answers may differ in length and content, as pages do that are made anew each time;\n"+
		"each must be whole and have the status of the first")
	size := messageFlags(set, &opt.cfg.Message)
	insecure := set.Bool("k", false, "accept any certificate over https and wss")
	set.IntVar(&opt.pid, "pid", 0, "report the CPU time, instructions and memory of this `PROCESS` too: the server's, on this machine (Linux)")
	set.StringVar(&opt.jsonFile, "json", "", "write the figures to this `FILE`; - is standard output")
	set.StringVar(&opt.htmlFile, "html", "", "write the report as one page to this `FILE`")
	set.BoolVar(&opt.quiet, "quiet", false, "print no report and no progress, only what went wrong")

	plain, err := parseAround(set, args, con)
	if err != nil {
		return opt, err
	}
	if len(plain) != 1 {
		return opt, usageError{fmt.Sprintf("bench: it takes one URL, not %d; bench -h explains", len(plain))}
	}
	cfg := &opt.cfg
	cfg.Conns, cfg.Pipeline, cfg.Rate = int(conns), int(pipeline), float64(rate)
	cfg.Duration, cfg.Warmup, cfg.Timeout = time.Duration(length), time.Duration(warmup), time.Duration(timeout)
	cfg.Header = head.header
	if cfg.Requests = int64(requests); requests > 0 && !given(set)["d"] {
		cfg.Duration = longestRun
	}
	if cfg.URL, err = parseTarget(plain[0]); err != nil {
		return opt, err
	}
	opt.authorize()
	if isWebSocket(cfg.URL) {
		cfg.Message.Size = int(*size)
	}
	if *insecure {
		cfg.TLS = &tls.Config{InsecureSkipVerify: true}
	}
	if err := opt.check(set); err != nil {
		return opt, err
	}
	opt.command = commandLine(set, cfg.URL)
	return opt, opt.readBody(*bodyFile, stdin)
}

// longestRun is how long a number of requests may take if nobody says.
const longestRun = 24 * time.Hour

// attached are wrk's and hey's flags with the value in the same word: -c64, -d10s, -n1000.
var attached = regexp.MustCompile(`^-([cdn])([0-9].*)$`)

// parseAround parses the flags in args wherever they stand and returns the words between them.
func parseAround(set *flag.FlagSet, args []string, con console) (plain []string, err error) {
	var words []string
	for _, arg := range args {
		if m := attached.FindStringSubmatch(arg); m != nil {
			words = append(words, "-"+m[1], m[2])
			continue
		}
		words = append(words, arg)
	}
	for {
		if err := parseLeading(set, words, con); err != nil {
			return nil, err
		}
		if set.NArg() == 0 {
			return plain, nil
		}
		plain, words = append(plain, set.Arg(0)), set.Args()[1:]
	}
}
