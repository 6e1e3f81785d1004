package bench

import (
	"crypto/tls"
	"flag"
	"io"
	"net/url"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/limits"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load"
)

// options holds the parsed command line of bench.
type options struct {
	cfg      load.Config
	pid      int               // report the resources used by this process; 0: none
	fail     limits.Conditions // conditions on the figures
	title    string
	notes    cli.Lines
	jsonFile string // "-" is standard output
	htmlFile string
	quiet    bool
	command  string // command line to repeat the run, without secrets

	sockets []*url.URL // socket URLs, measured one after the other
	label   string     // names one of several runs
}

// flags holds the values of the flags that fill converts into a load.Config.
type flags struct {
	conns, pipeline, requests, size, streams cli.Count
	rate                                     cli.Frequency
	total                                    runLength
	warmup, timeout                          cli.Span
	head                                     cli.Fields
	data, bodyFile, urlFile                  string
	insecure                                 bool
}

// parse parses the command line of bench. URLs may be anywhere between the flags. parse also reads the files
// that the flags name; one of them may be standard input.
func parse(args []string, stdin io.Reader, con cli.Console) (opt options, err error) {
	set := flag.NewFlagSet("bench", flag.ContinueOnError)
	f := flags{
		conns: 64, pipeline: 1, streams: 1, size: 64, total: runLength{cli.Span(10 * time.Second)}, timeout: cli.Span(10 * time.Second),
	}
	f.define(set, &opt)
	plain, err := cli.ParseAround(set, args, con)
	if err != nil {
		return opt, err
	}
	if f.urlFile == "-" && (f.bodyFile == "-" || f.data == "@-") {
		return opt, cli.UsageError("bench: -urls and the body cannot both be standard input")
	}
	f.fill(&opt.cfg)
	if f.requests > 0 && !cli.Given(set)["d"] {
		opt.cfg.Duration = longestRun
	}
	if err = opt.setURLs(plain, f.urlFile, stdin); err != nil {
		return opt, err
	}
	if len(opt.sockets) < 2 {
		opt.authorize()
	}
	if opt.sockets != nil {
		opt.cfg.Message.Size = int(f.size)
		if opt.cfg.Message.OneWay && !cli.Given(set)["pipeline"] {
			opt.cfg.Pipeline = max(1, oneWrite/(int(f.size)+frameBytes))
		}
	}
	if err := opt.check(set); err != nil {
		return opt, err
	}
	opt.command = commandLine(set, plain)
	return opt, opt.readBody(f.data, f.bodyFile, stdin)
}

// With -one-way and without -pipeline, a write has as many messages as fit oneWrite bytes, counting frameBytes of
// framing for each.
const oneWrite, frameBytes = 32 << 10, 16

// define registers the flags.
func (f *flags) define(set *flag.FlagSet, opt *options) {
	set.Var(&f.conns, "c", "connections, kept open; `N` may end in k for thousands")
	set.Var(&f.total, "d", "how long to count: a `TIME` such as 10s or 2m; a bare number is seconds")
	set.Var(&f.requests, "n", "end when `N` requests or messages have been answered or have failed; -d then ends it earlier\n"+
		"only if it is given too")
	set.Var(&f.pipeline, "pipeline", "keep `N` requests or messages in flight on each connection; with -one-way: send so many in one write")
	set.BoolVar(&opt.cfg.HTTP2, "h2", false,
		"speak HTTP/2: with http:// at once, without an upgrade (prior knowledge), with https:// by ALPN")
	set.BoolVar(&opt.cfg.HTTP3, "h3", false, "speak HTTP/3, with https://, over UDP")
	set.Var(&f.streams, "m", "with -h2 and -h3: keep `N` streams open at once on each connection, each a request")
	set.Var(&f.rate, "rate", "send `N` requests or messages per second over all connections (10k is 10,000), evenly spaced, and count\n"+
		"latency from the moment a request was due; 0 sends as many as possible")
	set.Var(&f.warmup, "warmup", "send load for this `TIME` before counting begins")
	set.Var(&f.timeout, "timeout", "the longest `TIME` to try to connect, and to wait for one answer")
	set.StringVar(&opt.cfg.Method, "X", "", "the `METHOD`; without it GET, or POST with a body")
	set.Var(&f.head, "H", "send this `'NAME: VALUE'` with every request; may be given again")
	set.StringVar(&f.data, "data", "", "send this `TEXT` with every request; @FILE is the content of a file")
	set.StringVar(&f.bodyFile, "body", "", "send the content of this `FILE` with every request; - is standard input")
	set.StringVar(&f.urlFile, "urls", "", "ask for the URLs in this `FILE` too, one a line; - is standard input. Several URLs take turns on each\n"+
		"connection, and must be of one server; a line that begins with / is a path at the first URL's")
	set.BoolVar(&opt.cfg.Same, "same", false, "every answer must have the status and the length of the first one from its URL")
	f.defineMessages(set, &opt.cfg.Message)
	set.BoolVar(&f.insecure, "k", false, "accept any certificate over https, wss and tls")
	opt.defineReport(set)
}

// defineReport registers the flags about the report.
func (opt *options) defineReport(set *flag.FlagSet) {
	set.IntVar(&opt.pid, "pid", 0, "report the CPU time, instructions and memory of this `PROCESS` too: the server's, on this machine (Linux)")
	set.Var(&opt.fail, "fail", "fail unless all of these `CONDITIONS` hold, such as 'p99<20ms,errors<0.1%,rate>5k'; of p50 (or any\n"+
		"percentile), min, mean, stdev, max, errors, rate and requests. Without one about errors each error fails")
	set.StringVar(&opt.title, "title", "", "head the report with this `TEXT`")
	set.Var(&opt.notes, "note", "put this `TEXT` into the report; may be given again")
	set.StringVar(&opt.jsonFile, "json", "", "write the figures to this `FILE`; - is standard output")
	set.StringVar(&opt.htmlFile, "html", "", "write the report as one page to this `FILE`")
	set.BoolVar(&opt.quiet, "quiet", false, "print no report and no progress, only what went wrong")
}

// fill converts the flags to the configuration of the run.
func (f *flags) fill(cfg *load.Config) {
	cfg.Conns, cfg.Pipeline, cfg.Requests = int(f.conns), int(f.pipeline), int64(f.requests)
	if cfg.HTTP2 || cfg.HTTP3 {
		cfg.Pipeline = int(f.streams)
	}
	cfg.Duration, cfg.Warmup, cfg.Timeout = time.Duration(f.total.Span), time.Duration(f.warmup), time.Duration(f.timeout)
	cfg.Rate, cfg.Header = float64(f.rate), f.head.Header
	if f.insecure {
		cfg.TLS = &tls.Config{InsecureSkipVerify: true}
	}
}

// longestRun bounds a run with -n and without -d.
const longestRun = 24 * time.Hour
