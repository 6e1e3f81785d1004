package serve

import (
	"flag"
	"net/http"
	"net/url"
	"os"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/accesslog"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/certs"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/site"
	"github.com/shockwave-go/shockwave/nethttp"
	"github.com/shockwave-go/shockwave/server"
	"github.com/shockwave-go/shockwave/streamsock"
)

// Options holds the parsed command line of serve.
type Options struct {
	site.Options
	dir         string   // directory to serve
	dotfiles    bool     // also serve files whose name begins with a dot
	proxy       *url.URL // or forward requests to this service
	rewriteHost bool     // with the Host of its URL, not the client's
	live        liveOptions
	logFile     string // access log; "-" is standard output, "" none
}

// Run serves the page, a directory or another service until a signal comes.
func Run(args []string, con cli.Console) error {
	opt, err := parse(args, con)
	if err != nil {
		return err
	}
	return site.UntilStopped(opt, con)
}

func parse(args []string, con cli.Console) (opt Options, err error) {
	set := flag.NewFlagSet("serve", flag.ContinueOnError)
	opt.Define(set, "127.0.0.1:8080")
	set.StringVar(&opt.dir, "dir", "", "serve the files under this `PATH`")
	set.BoolVar(&opt.dotfiles, "dotfiles", false,
		"with -dir: serve and list files whose name begins with a dot, and what is below such directories")
	proxy := set.String("proxy", "", "pass every request on to the service at this `URL`, with the Host that the client asked for")
	set.BoolVar(&opt.rewriteHost, "rewrite-host", false,
		"with -proxy: ask for the host of the service's URL instead, as one of several sites at an address wants")
	set.Func("bind", "listen for peers of the page's socket at this `URL`, too: tcp://H:P, tls://H:P, ws://H:P, wss://H:P. May be given\n"+
		"again", func(s string) error { opt.live.binds = append(opt.live.binds, s); return streamsock.CheckAddress(s) })
	peers := cli.Count(500)
	set.Var(&peers, "max-peers", "the page's socket takes so `MANY` peers")
	set.StringVar(&opt.logFile, "log", "", "append a line for each request to this `FILE`; - is standard output")
	if err := cli.ParseFlags(set, args, con); err != nil {
		return opt, err
	}
	opt.live.maxPeers = int(peers)
	switch {
	case opt.dir != "" && *proxy != "":
		return opt, cli.UsageError("serve: -dir and -proxy exclude each other")
	case opt.dotfiles && opt.dir == "":
		return opt, cli.UsageError("serve: -dotfiles is about the files of -dir, which is not given")
	case opt.rewriteHost && *proxy == "":
		return opt, cli.UsageError("serve: -rewrite-host is about the service of -proxy, which is not given")
	case (opt.live.binds != nil || cli.Given(set)["max-peers"]) && (opt.dir != "" || *proxy != ""):
		return opt, cli.UsageError("serve: -bind and -max-peers are about the page's socket, which is not there with -dir and -proxy")
	case peers < 1:
		return opt, cli.UsageError("serve: -max-peers wants at least 1")
	}
	if *proxy != "" {
		opt.proxy, err = url.Parse(*proxy)
		if err != nil || opt.proxy.Host == "" || opt.proxy.Scheme != "http" && opt.proxy.Scheme != "https" {
			return opt, cli.UsageError("serve: -proxy wants a URL such as http://127.0.0.1:3000")
		}
	}
	return opt, opt.Check(set)
}

// ServeOn implements site.Command.
func (opt Options) ServeOn(s cli.Stop, at site.Site, con cli.Console) error {
	sec, err := certs.SelfSigned(opt.Secure())
	if err != nil {
		return err
	}
	log, err := accesslog.Open(opt.logFile, con)
	if err != nil {
		return err
	}
	defer log.Close()
	cfg := server.Config{TLSConfig: sec, Logger: cli.NewLogger(con)}
	var what string
	var handler http.Handler
	switch {
	case opt.dir != "":
		root, err := os.OpenRoot(opt.dir)
		if err != nil {
			return err
		}
		defer root.Close()
		what, handler = "the files of "+opt.dir, &files{root: root, dotfiles: opt.dotfiles}
	case opt.proxy != nil:
		what, handler = "passing on to "+opt.proxy.Redacted(), newProxy(opt.proxy, opt.rewriteHost, cli.NewErrorLog(con))
		cfg.MaxBodyBytes = -1 // no limit here: the service behind has its own
	default:
		return servePage(s, at, cfg, opt.live, log, con)
	}
	cfg.Handler = nethttp.Handler(log.Handler(handler))
	site.Announce(con, what, at, sec)
	return site.Run(s, server.NewServer(cfg), at)
}
