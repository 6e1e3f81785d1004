package main

import (
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/client"
)

// getOptions holds the parsed command line of get.
type getOptions struct {
	urls           []string
	conns          count // concurrent requests
	timeout        span  // of each URL: redirects and body included
	http2, http3   bool
	acceptAnyCerts bool
}

// getHelp is printed after the flags.
const getHelp = `
Each URL is asked for with GET, all by one client with its default limits; redirects are followed. Without a scheme it is
http://, with -h3 https://. What it has brought is a line of JSON, in the order of the command line:

	{"url":"http://a/","status":200,"proto":"HTTP/1.1","length":13,"body":"Hello, World!","ms":0.7}
	{"url":"http://b/","ms":0.2,"error":"dial tcp 192.0.2.1:80: connect: connection refused"}

length is that of the whole body, decompressed; body are its first 64 bytes, with \xNN for each that is no UTF-8.

Exit codes: 0 if every URL has brought a whole response, whatever its status; 1 if one has not; 2 if the command line is
wrong.
`

// get requests the URLs and prints a line of JSON for each, in the order of the command line. It returns an error if a
// request fails.
func get(args []string, con console) error {
	opt, err := parseGet(args, con)
	if err != nil {
		return err
	}
	var g getter
	if opt.http3 {
		g = newHTTP3Getter(&opt)
	} else {
		g = clientGetter{client.New(opt.config())}
	}
	defer g.close()
	return getAll(g, opt, con)
}

func parseGet(args []string, con console) (opt getOptions, err error) {
	opt.conns, opt.timeout = 1, span(30*time.Second)
	set := flag.NewFlagSet("get", flag.ContinueOnError)
	set.Var(&opt.conns, "c", "ask for `N` URLs at once; what is printed keeps their order")
	set.Var(&opt.timeout, "timeout", "the longest `TIME` for each URL, redirects and the whole body included; 0 is no bound")
	set.BoolVar(&opt.http2, "h2", false,
		"speak HTTP/2: with http:// at once, without an upgrade (prior knowledge), with https:// by ALPN or not at all;\n"+
			"without this flag https:// has HTTP/2 if the server chooses it")
	set.BoolVar(&opt.http3, "h3", false, "speak HTTP/3, over UDP and with https:// only; bodies are not asked for compressed then")
	set.BoolVar(&opt.acceptAnyCerts, "k", false, "accept any certificate over https")
	opt.urls, err = parseAround(set, args, con)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(con.out, getHelp)
	}
	if err != nil {
		return opt, err
	}
	switch {
	case len(opt.urls) == 0:
		return opt, usageError{"get: it takes a URL, or several; get -h explains"}
	case opt.http2 && opt.http3:
		return opt, usageError{"get: -h2 and -h3 exclude each other"}
	case opt.conns < 1:
		return opt, usageError{"get: -c wants at least 1"}
	}
	scheme := "http://"
	if opt.http3 {
		scheme = "https://"
	}
	for i, s := range opt.urls {
		if !strings.Contains(s, "://") {
			opt.urls[i] = scheme + s
		}
	}
	return opt, nil
}

// config returns the client's configuration: the defaults, except where a flag says otherwise.
func (opt *getOptions) config() client.Config {
	cfg := client.Config{Timeout: time.Duration(opt.timeout)}
	if opt.http2 {
		cfg.Protocols = new(http.Protocols)
		cfg.Protocols.SetHTTP2(true)
		cfg.Protocols.SetUnencryptedHTTP2(true)
	}
	if opt.acceptAnyCerts {
		cfg.TLSConfig = &tls.Config{InsecureSkipVerify: true}
	}
	return cfg
}

// getAll requests the URLs with opt.conns goroutines. It prints the results in the order of the URLs.
func getAll(g getter, opt getOptions, con console) error {
	n := min(int(opt.conns), len(opt.urls))
	lines := make([]chan fetched, len(opt.urls))
	next := make(chan int, len(opt.urls))
	for i := range lines {
		lines[i] = make(chan fetched, 1)
		next <- i
	}
	close(next)
	var asking sync.WaitGroup
	defer asking.Wait()
	for range n {
		asking.Go(func() {
			piece := make([]byte, pieceSize)
			for i := range next {
				lines[i] <- fetch(g, opt.urls[i], piece)
			}
		})
	}
	failed := 0
	for _, line := range lines {
		f := <-line
		if f.Error != "" {
			failed++
		}
		if err := f.print(con.out); err != nil {
			for range next { // drop the remaining URLs: the output cannot be written
			}
			return err
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d URLs could not be had", failed, len(lines))
	}
	return nil
}
