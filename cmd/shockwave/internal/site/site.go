package site

import (
	"errors"
	"flag"
	"fmt"
	"net"
	"strings"
	"syscall"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
	"github.com/shockwave-go/shockwave/server"
)

// Site is where a server listens: over TCP or at a Unix socket, over UDP for HTTP/3, or both, at the same port.
type Site struct {
	Listener net.Listener   // nil: HTTP/3 alone
	UDP      net.PacketConn // nil: no HTTP/3
	tls      bool           // on l
}

// Options says where to listen.
type Options struct {
	Addr  string
	TLS   bool // serve TLS
	H3    bool // serve HTTP/3: beside TLS, or without it alone
	Asked bool // -h3 was given
}

// Where returns the options themselves, for the options of commands that embed them.
func (opt Options) Where() Options { return opt }

// Define defines the flags of a site.
func (opt *Options) Define(set *flag.FlagSet, addr string) {
	set.StringVar(&opt.Addr, "addr", addr, "the `HOST:PORT` to listen on, or unix:/PATH; port 0 picks a free one")
	set.BoolVar(&opt.TLS, "tls", false, "serve TLS with a self-signed certificate, and HTTP/3 on the same port of UDP")
	set.BoolVar(&opt.H3, "h3", true, "with -tls: serve HTTP/3, too; -h3=false leaves it out. Without -tls: serve nothing but HTTP/3")
}

// Check completes opt after the flags are parsed.
func (opt *Options) Check(set *flag.FlagSet) error {
	opt.Asked = cli.Given(set)["h3"] && opt.H3
	unix := strings.HasPrefix(opt.Addr, "unix:")
	if opt.Asked && unix {
		return cli.UsageError(set.Name() + ": -h3 wants a HOST:PORT, not a Unix socket")
	}
	opt.H3 = opt.Asked || opt.H3 && opt.TLS && !unix
	return nil
}

// Secure reports whether a certificate is needed.
func (opt *Options) Secure() bool { return opt.TLS || opt.H3 }

// Open listens. If nobody asked for HTTP/3 and its port cannot be had, the site is without it, and the user is told.
func (opt *Options) Open(con cli.Console) (Site, error) {
	if opt.H3 && !opt.TLS {
		udp, err := net.ListenPacket("udp", opt.Addr)
		return Site{UDP: udp}, err
	}
	for tries := 1; ; tries++ {
		l, err := server.Listen(opt.Addr)
		if err != nil || !opt.H3 {
			return Site{Listener: l, tls: opt.TLS}, err
		}
		udp, err := net.ListenPacket("udp", l.Addr().String())
		switch {
		case err == nil:
			return Site{l, udp, true}, nil
		case strings.HasSuffix(opt.Addr, ":0") && errors.Is(err, syscall.EADDRINUSE) && tries < 100:
			l.Close() // the next free port of TCP may be free for UDP
		case opt.Asked:
			l.Close()
			return Site{}, err
		default:
			fmt.Fprintf(con.Err, "shockwave: no HTTP/3 here: %v\n", err)
			return Site{Listener: l, tls: true}, nil
		}
	}
}

// Addr returns the address that the site listens on.
func (at Site) Addr() net.Addr {
	if at.Listener != nil {
		return at.Listener.Addr()
	}
	return at.UDP.LocalAddr()
}

// Close closes what was opened.
func (at Site) Close() {
	if at.Listener != nil {
		at.Listener.Close()
	}
	if at.UDP != nil {
		at.UDP.Close()
	}
}
