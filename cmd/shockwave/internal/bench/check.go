package bench

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load"
)

// check reports errors that involve several flags, and sets the default method.
func (opt *options) check(set *flag.FlagSet) error {
	given, cfg := cli.Given(set), &opt.cfg
	streams := cfg.HTTP2 || cfg.HTTP3
	for _, no := range []struct {
		wrong bool
		text  string
	}{
		{cfg.Conns < 1, "-c wants at least 1"},
		{cfg.HTTP2 && cfg.HTTP3, "-h2 and -h3 exclude each other"},
		{cfg.HTTP3 && cfg.URL != nil && cfg.URL.Scheme == "http", "-h3 wants https://"},
		{streams && given["pipeline"], "-pipeline is about HTTP/1.1 and WebSocket; with -h2 and -h3 it is -m"},
		{!streams && given["m"], "-m is about the streams of HTTP/2 and HTTP/3, and wants -h2 or -h3"},
		{streams && cfg.Pipeline < 1, "-m wants at least 1"},
		{cfg.Pipeline < 1, "-pipeline wants at least 1"},
		{cfg.Duration <= 0, "-d wants more than 0"},
		{cfg.Timeout <= 0, "-timeout wants more than 0"},
		{given["n"] && cfg.Requests < 1, "-n wants at least 1"},
		{given["n"] && cfg.Warmup > 0, "-n counts from the first request on; it does not go with -warmup"},
		{given["pid"] && opt.pid < 1, "-pid wants the number of a process"},
		{given["X"] && !cli.Token(cfg.Method), fmt.Sprintf("-X %q is not a method", cfg.Method)},
		{given["data"] && given["body"], "-data and -body exclude each other"},
		{opt.htmlFile == "-", "-html wants the name of a file"},
	} {
		if no.wrong {
			return cli.UsageError("bench: " + no.text)
		}
	}
	if err := opt.checkProtocol(given); err != nil {
		return err
	}
	if err := opt.checkFields(); err != nil {
		return err
	}
	if cfg.Method == "" {
		cfg.Method = "GET"
		if given["body"] || given["data"] {
			cfg.Method = "POST"
		}
	}
	return nil
}

// checkProtocol reports flags for messages with an HTTP URL, and flags for HTTP with a socket URL.
func (opt *options) checkProtocol(given map[string]bool) error {
	others := []string{"size", "one-way", "prefixed", "text", "deflate", "takeover"}
	kind, ours := "messages, with tcp://, tls://, ws:// or wss://", "requests, with http:// or https://"
	if opt.sockets != nil {
		others, kind, ours = []string{"X", "body", "data", "same", "h2", "h3"}, ours, kind
	}
	for _, name := range others {
		if given[name] {
			return cli.UsageError(fmt.Sprintf("bench: -%s is about %s; this URL is for %s", name, kind, ours))
		}
	}
	switch m := &opt.cfg.Message; {
	case m.Takeover && !m.Deflate:
		return cli.UsageError("bench: -takeover is about compressed messages, and wants -deflate")
	case m.Prefixed && (m.Text || m.Deflate):
		return cli.UsageError("bench: -prefixed sends a stream of bytes, which is neither text nor compressed by the message")
	case m.Prefixed && !slices.ContainsFunc(opt.sockets, load.IsWebSocket):
		return cli.UsageError("bench: -prefixed is about ws:// and wss://")
	}
	return opt.checkStreams(given)
}

// checkStreams reports WebSocket flags with a tcp or tls URL.
func (opt *options) checkStreams(given map[string]bool) error {
	i := slices.IndexFunc(opt.sockets, load.IsStream)
	if i < 0 {
		return nil
	}
	for _, name := range []string{"text", "deflate", "takeover", "H"} {
		if given[name] {
			return cli.UsageError(fmt.Sprintf("bench: -%s is about WebSocket; %s is not", name, opt.sockets[i]))
		}
	}
	return nil
}

// checkFields reports header fields that HTTP/2 and HTTP/3 do not have because they are about a connection of HTTP/1.1 (RFC 9113
// §8.2.2, RFC 9114 §4.2).
func (opt *options) checkFields() error {
	if !opt.cfg.HTTP2 && !opt.cfg.HTTP3 {
		return nil
	}
	for _, name := range []string{"Connection", "Keep-Alive", "Proxy-Connection", "Transfer-Encoding", "Upgrade"} {
		if opt.cfg.Header.Has(name) {
			return cli.UsageError(fmt.Sprintf("bench: -H %s is about a connection of HTTP/1.1; with -h2 and -h3 there is no such field", name))
		}
	}
	return nil
}

// readBody sets the request body to data, or to the content of the named file. As with curl, data that begins with @
// names a file.
func (opt *options) readBody(data, name string, stdin io.Reader) (err error) {
	if file, ok := strings.CutPrefix(data, "@"); ok {
		data, name = "", file
	}
	switch name {
	case "":
		opt.cfg.Body = []byte(data)
	case "-":
		opt.cfg.Body, err = io.ReadAll(stdin)
	default:
		opt.cfg.Body, err = os.ReadFile(name)
	}
	return err
}
