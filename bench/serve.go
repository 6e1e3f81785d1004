package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/shockwave-go/shockwave/bench/internal/h2peer"
	"github.com/shockwave-go/shockwave/bench/internal/h3peer"
	"github.com/shockwave-go/shockwave/bench/internal/muxpeer"
	"github.com/shockwave-go/shockwave/bench/internal/peer"
	"github.com/shockwave-go/shockwave/bench/internal/sockpeer"
	"github.com/shockwave-go/shockwave/bench/internal/wspeer"
)

// serveCommand runs a peer: it prints its address, serves, and replies to the control words on standard input with its
// memory and CPU figures.
func serveCommand(_ context.Context, args []string, con console) error {
	set := flag.NewFlagSet("serve", flag.ContinueOnError)
	name := set.String("peer", peer.Native, "which one: "+strings.Join(slices.Concat(peer.All, wspeer.All, h2peer.All, h3peer.All), ", "))
	addr := set.String("addr", "127.0.0.1:0", "`HOST:PORT` to listen on; port 0 picks a free one")
	withTLS := set.Bool("tls", false, "serve TLS 1.3 with a certificate made for it")
	http2 := set.Bool("http2", false, "serve HTTP/2 as the suite http2 has it")
	http3 := set.Bool("http3", false, "serve HTTP/3 as the suite http3 has it")
	socket := set.String("socket", "", "serve messages on this `TRANSPORT`, as the suite sockets has it: "+strings.Join(sockpeer.Transports, ", "))
	mux := set.Bool("mux", false, "serve channels as the suite channels has them: "+strings.Join(muxpeer.All, ", "))
	dir := set.String("dir", "", "of peers that are other programs: the directory for their files; it must exist")
	if err := parse(set, args, con); err != nil {
		return err
	}
	switch {
	case *socket != "":
		return serveSocket(*name, *socket, *addr, *dir, con)
	case *mux:
		l, err := net.Listen("tcp", *addr)
		return serveListener(l, err, func() error { return muxpeer.Serve(*name, l) }, con)
	case *http3:
		return serveHTTP3(*name, *dir, *addr, con)
	case *http2:
		return serveHTTP2(*name, *dir, *addr, *withTLS, con)
	case wspeer.Known(*name) && *withTLS:
		return fmt.Errorf("%s is measured without TLS; %w", *name, errUsage)
	case wspeer.Known(*name):
		l, err := wspeer.Listen(*name, *addr)
		return serveListener(l, err, func() error { return wspeer.Serve(*name, l) }, con)
	case !peer.Known(*name):
		return fmt.Errorf("unknown peer %q; %w", *name, errUsage)
	case *name == peer.Nginx && (*withTLS || *dir == ""):
		return fmt.Errorf("nginx is measured without TLS, and needs -dir; %w", errUsage)
	case *name == peer.Nginx:
		return become(*addr, con, func(addr string) error { return peer.BecomeNginx(*dir, addr) })
	}
	l, err := peer.Listen(*name, *addr)
	return serveListener(l, err, func() error { return peer.Serve(*name, l, *withTLS) }, con)
}

// serveHTTP2 runs a peer of the suite http2.
func serveHTTP2(name, dir, addr string, withTLS bool, con console) error {
	if !h2peer.Known(name) {
		return fmt.Errorf("unknown peer %q of HTTP/2; %w", name, errUsage)
	}
	program, err := h2peer.Find(name)
	switch {
	case err != nil:
		return err
	case program != "" && dir == "":
		return fmt.Errorf("%s needs -dir; %w", name, errUsage)
	case program != "":
		return become(addr, con, func(addr string) error { return h2peer.Become(name, dir, addr, withTLS) })
	}
	l, err := h2peer.Listen(name, addr)
	return serveListener(l, err, func() error { return h2peer.Serve(name, l, withTLS) }, con)
}

// serveHTTP3 runs a peer of the suite http3, which has TLS in any case.
func serveHTTP3(name, dir, addr string, con console) error {
	if !h3peer.Known(name) {
		return fmt.Errorf("unknown peer %q of HTTP/3; %w", name, errUsage)
	}
	if h3peer.IsProgram(name) {
		if dir == "" {
			return fmt.Errorf("%s needs -dir; %w", name, errUsage)
		}
		return h3peer.Become(name, dir, addr)
	}
	pc, err := net.ListenPacket("udp", addr)
	if err != nil {
		return err
	}
	return serveAt(pc.LocalAddr(), func() error { return h3peer.Serve(name, pc) }, con)
}

// serveSocket runs a peer of the suite sockets.
func serveSocket(name, transport, at, dir string, con console) error {
	if err := sockpeer.Check(name, transport); err != nil {
		return fmt.Errorf("%w; %w", err, errUsage)
	}
	program, err := sockpeer.Find(name)
	if err == nil && program != "" {
		err = sockpeer.Become(name, transport, dir)
	}
	if err != nil {
		return err
	}
	addr, err := sockpeer.Serve(name, transport, at)
	if err != nil {
		return err
	}
	fmt.Fprintln(con.out, addr)
	return peer.Control(con.in, con.out)
}

// serveListener is serveAt for the address of l. It returns err, the error of listening, if that is not nil.
func serveListener(l net.Listener, err error, serve func() error, con console) error {
	if err != nil {
		return err
	}
	return serveAt(l.Addr(), serve, con)
}

// serveAt prints the address that serve serves, and then calls serve and replies to the control words until one of the two ends.
func serveAt(addr net.Addr, serve func() error, con console) error {
	fmt.Fprintln(con.out, addr)
	failed := make(chan error, 1)
	go func() { failed <- serve() }()
	go func() { failed <- peer.Control(con.in, con.out) }()
	return <-failed
}

// become prints the address that another program is going to listen on, and calls begin, which replaces this process by
// that program. A port 0 in addr is replaced by a free port first.
func become(addr string, con console, begin func(addr string) error) (err error) {
	if strings.HasSuffix(addr, ":0") {
		if addr, err = peer.FreeAddr(); err != nil {
			return err
		}
	}
	fmt.Fprintln(con.out, addr)
	return begin(addr)
}
