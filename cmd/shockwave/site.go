package main

import (
	"errors"
	"flag"
	"fmt"
	"net"
	"strings"
	"syscall"

	"github.com/shockwave-go/shockwave/server"
)

// site is where a server listens: over TCP or at a Unix socket, over UDP for HTTP/3, or both, at the same port.
type site struct {
	l   net.Listener   // nil: HTTP/3 alone
	udp net.PacketConn // nil: no HTTP/3
	tls bool           // on l
}

// siteOptions says where to listen.
type siteOptions struct {
	addr  string
	tls   bool // serve TLS
	h3    bool // serve HTTP/3: beside TLS, or without it alone
	asked bool // -h3 was given
}

// where returns the options themselves, for the options of commands that embed them.
func (opt siteOptions) where() siteOptions { return opt }

// define defines the flags of a site.
func (opt *siteOptions) define(set *flag.FlagSet, addr string) {
	set.StringVar(&opt.addr, "addr", addr, "the `HOST:PORT` to listen on, or unix:/PATH; port 0 picks a free one")
	set.BoolVar(&opt.tls, "tls", false, "serve TLS with a certificate made on the spot, and HTTP/3 on the same port of UDP")
	set.BoolVar(&opt.h3, "h3", true, "with -tls: serve HTTP/3, too; -h3=false leaves it out. Without -tls: serve nothing but HTTP/3")
}

// check completes opt after the flags are parsed.
func (opt *siteOptions) check(set *flag.FlagSet) error {
	opt.asked = given(set)["h3"] && opt.h3
	unix := strings.HasPrefix(opt.addr, "unix:")
	if opt.asked && unix {
		return usageError{set.Name() + ": -h3 wants a HOST:PORT, not a Unix socket"}
	}
	opt.h3 = opt.asked || opt.h3 && opt.tls && !unix
	return nil
}

// secure reports whether a certificate is needed.
func (opt *siteOptions) secure() bool { return opt.tls || opt.h3 }

// open listens. If nobody asked for HTTP/3 and its port cannot be had, the site is without it, and the user is told.
func (opt *siteOptions) open(con console) (site, error) {
	if opt.h3 && !opt.tls {
		udp, err := net.ListenPacket("udp", opt.addr)
		return site{udp: udp}, err
	}
	for tries := 1; ; tries++ {
		l, err := server.Listen(opt.addr)
		if err != nil || !opt.h3 {
			return site{l: l, tls: opt.tls}, err
		}
		udp, err := net.ListenPacket("udp", l.Addr().String())
		switch {
		case err == nil:
			return site{l, udp, true}, nil
		case strings.HasSuffix(opt.addr, ":0") && errors.Is(err, syscall.EADDRINUSE) && tries < 100:
			l.Close() // the next free port of TCP may be free for UDP
		case opt.asked:
			l.Close()
			return site{}, err
		default:
			fmt.Fprintf(con.err, "shockwave: no HTTP/3 here: %v\n", err)
			return site{l: l, tls: true}, nil
		}
	}
}

// addr returns the address that the site listens on.
func (at site) addr() net.Addr {
	if at.l != nil {
		return at.l.Addr()
	}
	return at.udp.LocalAddr()
}

// close closes what was opened.
func (at site) close() {
	if at.l != nil {
		at.l.Close()
	}
	if at.udp != nil {
		at.udp.Close()
	}
}
