package get

import (
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave/client"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
)

// options holds the parsed command line of get.
type options struct {
	urls           []string
	conns          cli.Count // concurrent requests
	timeout        cli.Span  // of each URL: redirects and body included
	http2, http3   bool
	acceptAnyCerts bool
}

// help is printed after the flags.
const help = `
Each URL is asked for with GET, all by one client with its default limits; redirects are followed. Without a scheme it is
http://, with -h3 https://. What it has brought is a line of JSON, in the order of the command line:

	{"url":"http://a/","status":200,"proto":"HTTP/1.1","length":13,"body":"Hello, World!","ms":0.7}
	{"url":"http://b/","ms":0.2,"error":"dial tcp 192.0.2.1:80: connect: connection refused"}

length is that of the whole body, decompressed; body are its first 64 bytes, with \xNN for each that is no UTF-8.

Exit codes: 0 if every URL has brought a whole response, whatever its status; 1 if one has not; 2 if the command line is
wrong.
`

func parse(args []string, con cli.Console) (opt options, err error) {
	opt.conns, opt.timeout = 1, cli.Span(30*time.Second)
	set := flag.NewFlagSet("get", flag.ContinueOnError)
	set.Var(&opt.conns, "c", "request `N` URLs at once; they are printed in their order")
	set.Var(&opt.timeout, "timeout", "the longest `TIME` for each URL, redirects and the whole body included; 0 is no limit")
	set.BoolVar(&opt.http2, "h2", false,
		"speak HTTP/2: with http:// at once, without an upgrade (prior knowledge), with https:// by ALPN or not at all;\n"+
			"without this flag https:// has HTTP/2 if the server chooses it")
	set.BoolVar(&opt.http3, "h3", false, "speak HTTP/3, over UDP and with https:// only; compressed bodies are not requested then")
	set.BoolVar(&opt.acceptAnyCerts, "k", false, "accept any certificate over https")
	opt.urls, err = cli.ParseAround(set, args, con)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(con.Out, help)
	}
	if err != nil {
		return opt, err
	}
	switch {
	case len(opt.urls) == 0:
		return opt, cli.UsageError("get: it takes a URL, or several; get -h explains")
	case opt.http2 && opt.http3:
		return opt, cli.UsageError("get: -h2 and -h3 exclude each other")
	case opt.conns < 1:
		return opt, cli.UsageError("get: -c wants at least 1")
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
func (opt *options) config() client.Config {
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
