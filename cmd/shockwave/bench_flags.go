package main

import (
	"crypto/tls"
	"flag"
	"io"
	"regexp"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load"
)

// benchOptions is bench's command line.
type benchOptions struct {
	cfg      load.Config
	pid      int          // report what this process used; 0: none
	fail     requirements // of the figures
	title    string
	notes    lines
	jsonFile string // "-" is standard output
	htmlFile string
	quiet    bool
	command  string // how to run it again, without what is secret
}

// parseBench parses bench's command line, whose URLs may stand before, between or after the flags. It reads the files
// that are named, of which one may be stdin.
func parseBench(args []string, stdin io.Reader, con console) (opt benchOptions, err error) {
	set := flag.NewFlagSet("bench", flag.ContinueOnError)
	conns, pipeline, requests := count(64), count(1), count(0)
	rate, head := frequency(0), fields{}
	total, warmup, timeout := length{span(10 * time.Second)}, span(0), span(10*time.Second)
	set.Var(&conns, "c", "connections, kept open; `N` may end in k for thousands")
	set.Var(&total, "d", "how long to count: a `TIME` such as 10s or 2m; a bare number is seconds")
	set.Var(&requests, "n", "end when `N` requests or messages have been answered or have failed; -d then ends it earlier\n"+
		"only if it is given too")
	set.Var(&pipeline, "pipeline", "keep `N` requests or messages in flight on each connection")
	set.Var(&rate, "rate", "send `N` requests or messages per second over all connections (10k is 10,000), evenly spaced, and count\n"+
		"latency from the moment a request was due; 0 sends as many as possible")
	set.Var(&warmup, "warmup", "send load for this `TIME` before counting begins")
	set.Var(&timeout, "timeout", "the longest `TIME` to try to connect, and to wait for one answer")
	set.StringVar(&opt.cfg.Method, "X", "", "the `METHOD`; without it GET, or POST with a body")
	set.Var(&head, "H", "send this `'NAME: VALUE'` with every request; may be given again")
	data := set.String("data", "", "send this `TEXT` with every request; @FILE is the content of a file")
	bodyFile := set.String("body", "", "send the content of this `FILE` with every request; - is standard input")
	urlFile := set.String("urls", "", "ask for the URLs in this `FILE` too, one a line; - is standard input. Several URLs take turns on each\n"+
		"connection, and must be of one server; a line that begins with / is a path at the first URL's")
	set.BoolVar(&opt.cfg.Same, "same", false, "every answer must have the status and the length of the first one from its URL")
	size := messageFlags(set, &opt.cfg.Message)
	insecure := set.Bool("k", false, "accept any certificate over https and wss")
	set.IntVar(&opt.pid, "pid", 0, "report the CPU time, instructions and memory of this `PROCESS` too: the server's, on this machine (Linux)")
	set.Var(&opt.fail, "fail", "fail unless all of these `CONDITIONS` hold, such as 'p99<20ms,errors<0.1%,rate>5k'; of p50 (or any\n"+
		"percentile), min, mean, stdev, max, errors, rate and requests. Without one about errors each error fails")
	set.StringVar(&opt.title, "title", "", "head the report with this `TEXT`")
	set.Var(&opt.notes, "note", "put this `TEXT` into the report; may be given again")
	set.StringVar(&opt.jsonFile, "json", "", "write the figures to this `FILE`; - is standard output")
	set.StringVar(&opt.htmlFile, "html", "", "write the report as one page to this `FILE`")
	set.BoolVar(&opt.quiet, "quiet", false, "print no report and no progress, only what went wrong")

	plain, err := parseAround(set, args, con)
	if err != nil {
		return opt, err
	}
	cfg := &opt.cfg
	cfg.Conns, cfg.Pipeline, cfg.Rate = int(conns), int(pipeline), float64(rate)
	cfg.Duration, cfg.Warmup, cfg.Timeout = time.Duration(total.span), time.Duration(warmup), time.Duration(timeout)
	cfg.Header = head.header
	if cfg.Requests = int64(requests); requests > 0 && !given(set)["d"] {
		cfg.Duration = longestRun
	}
	if err = opt.aim(plain, *urlFile, stdin); err != nil {
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
	opt.command = commandLine(set, plain)
	return opt, opt.readBody(*data, *bodyFile, stdin)
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
