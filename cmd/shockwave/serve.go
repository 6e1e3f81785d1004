package main

import (
	"flag"
	"net"
	"net/url"
	"os"

	"github.com/shockwave-go/shockwave/nethttp"
	"github.com/shockwave-go/shockwave/server"
)

// serveOptions is serve's command line.
type serveOptions struct {
	addr  string
	tls   bool
	dir   string   // serve these files
	proxy *url.URL // or pass requests on to this service
}

// serve serves the page, a directory or another service until it is interrupted.
func serve(args []string, con console) error {
	opt, err := parseServe(args, con)
	if err != nil {
		return err
	}
	return untilStopped(opt.addr, func(s stop, l net.Listener) error { return serveOn(s, l, opt, con) })
}

func parseServe(args []string, con console) (opt serveOptions, err error) {
	set := flag.NewFlagSet("serve", flag.ContinueOnError)
	set.StringVar(&opt.addr, "addr", "127.0.0.1:8080", "the `HOST:PORT` to listen on; port 0 picks a free one")
	set.BoolVar(&opt.tls, "tls", false, "serve TLS with a certificate made on the spot")
	set.StringVar(&opt.dir, "dir", "", "serve the files under this `PATH`")
	proxy := set.String("proxy", "", "pass every request on to the service at this `URL`")
	if err := parseFlags(set, args, con); err != nil {
		return opt, err
	}
	if opt.dir != "" && *proxy != "" {
		return opt, usageError{"serve: -dir and -proxy exclude each other"}
	}
	if *proxy != "" {
		opt.proxy, err = url.Parse(*proxy)
		if err != nil || opt.proxy.Host == "" || opt.proxy.Scheme != "http" && opt.proxy.Scheme != "https" {
			return opt, usageError{"serve: -proxy wants a URL such as http://127.0.0.1:3000"}
		}
	}
	return opt, nil
}

// serveOn serves on l until s says stop; it closes l.
func serveOn(s stop, l net.Listener, opt serveOptions, con console) error {
	sec, err := newSecurity(opt.tls)
	if err != nil {
		l.Close()
		return err
	}
	cfg := server.Config{TLSConfig: sec, Logger: newLogger(con)}
	var what string
	switch {
	case opt.dir != "":
		root, err := os.OpenRoot(opt.dir)
		if err != nil {
			l.Close()
			return err
		}
		defer root.Close()
		what = "the files of " + opt.dir
		cfg.Handler = nethttp.Handler(&files{root: root})
	case opt.proxy != nil:
		what = "passing on to " + opt.proxy.Redacted()
		cfg.Handler = nethttp.Handler(newProxy(opt.proxy, newErrorLog(con)))
		cfg.MaxBodyBytes = -1 // how much is too much is for the service behind to say
	default:
		return servePage(s, l, cfg, con)
	}
	announce(con, what, l, sec)
	return runFront(s, server.NewServer(cfg), l, opt.tls)
}
