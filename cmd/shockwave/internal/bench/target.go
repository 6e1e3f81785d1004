package bench

import (
	"encoding/base64"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/message"
)

// setURLs sets the URLs from the command line and from the named file, if any. Several HTTP URLs take turns on each
// connection; several sockets are measured one after the other.
func (opt *options) setURLs(plain []string, file string, stdin io.Reader) error {
	listed, err := readURLs(file, stdin)
	if err != nil {
		return err
	}
	all := append(plain, listed...)
	if len(all) == 0 {
		return cli.UsageError("bench: it takes a URL, several of one server, or several sockets; bench -h explains")
	}
	for _, s := range all {
		u, err := opt.target(s)
		if err != nil {
			return err
		}
		if load.CarriesMessages(u) {
			opt.sockets = append(opt.sockets, u)
		}
		switch {
		case opt.cfg.URL == nil:
			opt.cfg.URL = u
			continue
		case load.CarriesMessages(u) != load.CarriesMessages(opt.cfg.URL):
			return cli.UsageError(fmt.Sprintf("bench: %s and %s are measured by requests and by messages: one of them at a time",
				opt.cfg.URL.Redacted(), u.Redacted()))
		case load.CarriesMessages(u):
			continue
		case u.Scheme != opt.cfg.URL.Scheme || u.Host != opt.cfg.URL.Host:
			return cli.UsageError(fmt.Sprintf("bench: %s is not at %s://%s: all URLs must be of one server",
				u.Redacted(), opt.cfg.URL.Scheme, opt.cfg.URL.Host))
		}
		opt.cfg.More = append(opt.cfg.More, u)
	}
	return nil
}

// target parses a URL, or a path on the server of the first URL.
func (opt *options) target(s string) (*url.URL, error) {
	if !strings.HasPrefix(s, "/") || opt.cfg.URL == nil {
		return parseTarget(s)
	}
	u, err := opt.cfg.URL.Parse(s)
	if err != nil || u.Host != opt.cfg.URL.Host || load.IsStream(u) {
		return nil, cli.UsageError(fmt.Sprintf("bench: %q is not a path at %s", s, opt.cfg.URL.Redacted()))
	}
	u.User, u.Fragment, u.RawFragment = nil, "", ""
	return u, nil
}

// readURLs reads the lines of a file, except for empty lines and comments, which begin with #.
func readURLs(name string, stdin io.Reader) (list []string, err error) {
	var b []byte
	switch name {
	case "":
		return nil, nil
	case "-":
		b, err = io.ReadAll(stdin)
	default:
		b, err = os.ReadFile(name)
	}
	for line := range strings.Lines(string(b)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			list = append(list, line)
		}
	}
	return list, err
}

// parseTarget parses a URL. The scheme may be omitted and is http then.
func parseTarget(s string) (*url.URL, error) {
	full := s
	if !strings.Contains(s, "://") {
		full = "http://" + s
	}
	u, err := url.Parse(full)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" && !load.CarriesMessages(u) {
		return nil, cli.UsageError(fmt.Sprintf("bench: %q is not a URL such as http://127.0.0.1:8080/", s))
	}
	if load.IsStream(u) && (u.Port() == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.User != nil) {
		return nil, cli.UsageError(fmt.Sprintf("bench: %q is not a URL such as %s://127.0.0.1:5555", s, u.Scheme))
	}
	u.Fragment, u.RawFragment = "", "" // fragments are not sent (RFC 9110 §4.2.5)
	return u, nil
}

// defineMessages registers the flags about messages. The value of -size is used for sockets only.
func (f *flags) defineMessages(set *flag.FlagSet, m *message.Spec) {
	set.Var(&f.size, "size", "with tcp://, tls://, ws:// and wss://: send messages of `N` bytes, each of which must come back as it was sent")
	set.BoolVar(&m.OneWay, "one-way", false, "with these: send, and want nothing back. A message counts when it has left; at the end the other side must end\n"+
		"its half too, which says that it has read everything. Without -pipeline as many leave in one write as 32 KiB hold")
	set.BoolVar(&m.Prefixed, "prefixed", false, "with ws:// and wss://: the byte stream of tcp:// in binary messages, as shockwave socket -prefixed speaks")
	set.BoolVar(&m.Text, "text", false, "with ws:// and wss://: send text instead of binary messages")
	set.BoolVar(&m.Deflate, "deflate", false,
		"with ws:// and wss://: send and want compressed messages, each by itself (permessage-deflate)")
	set.BoolVar(&m.Takeover, "takeover", false,
		"with -deflate: compress with what was sent before in the same direction (context takeover), both ways")
}

// forSocket returns the options for a run at one of several sockets. -prefixed applies to WebSocket only.
func (opt options) forSocket(u *url.URL, label string) options {
	opt.cfg.URL, opt.label = u, label
	if load.IsStream(u) {
		opt.cfg.Message.Prefixed = false
	}
	opt.authorize()
	return opt
}

// authorize converts the user name and password of the URL to an Authorization field (RFC 7617 §2).
func (opt *options) authorize() {
	user := opt.cfg.URL.User
	if user == nil || opt.cfg.Header.Has("Authorization") {
		return
	}
	password, _ := user.Password()
	var own shockwave.Header // a copy: other runs have other passwords
	for i := range opt.cfg.Header.Len() {
		own.AddBytes(opt.cfg.Header.At(i))
	}
	opt.cfg.Header = own
	opt.cfg.Header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(user.Username()+":"+password)))
}
