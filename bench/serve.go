package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/shockwave-go/shockwave/bench/internal/peer"
	"github.com/shockwave-go/shockwave/bench/internal/wspeer"
)

// serveCommand is a peer: it says its address, serves, and tells what it uses when it is asked on standard input.
func serveCommand(_ context.Context, args []string, con console) error {
	set := flag.NewFlagSet("serve", flag.ContinueOnError)
	name := set.String("peer", peer.Native, "which one: "+strings.Join(slices.Concat(peer.All, wspeer.All), ", "))
	addr := set.String("addr", "127.0.0.1:0", "`HOST:PORT` to listen on; port 0 picks a free one")
	withTLS := set.Bool("tls", false, "serve TLS 1.3 with a certificate made for it")
	dir := set.String("dir", "", "nginx: the directory for its files; it must exist")
	if err := parse(set, args, con); err != nil {
		return err
	}
	switch {
	case wspeer.Known(*name) && *withTLS:
		return fmt.Errorf("%s is measured without TLS; %w", *name, errUsage)
	case wspeer.Known(*name):
		l, err := wspeer.Listen(*name, *addr)
		return serveListener(l, err, func() error { return wspeer.Serve(*name, l) }, con)
	case !peer.Known(*name):
		return fmt.Errorf("there is no peer %q; %w", *name, errUsage)
	case *name == peer.Nginx:
		return serveNginx(*dir, *addr, *withTLS, con)
	}
	l, err := peer.Listen(*name, *addr)
	return serveListener(l, err, func() error { return peer.Serve(*name, l, *withTLS) }, con)
}

// serveListener says where l listens, if it does, and serves it beside the control.
func serveListener(l net.Listener, err error, serve func() error, con console) error {
	if err != nil {
		return err
	}
	fmt.Fprintln(con.out, l.Addr())
	failed := make(chan error, 1)
	go func() { failed <- serve() }()
	go func() { failed <- peer.Control(con.in, con.out) }()
	return <-failed
}

func serveNginx(dir, addr string, withTLS bool, con console) (err error) {
	if withTLS || dir == "" {
		return fmt.Errorf("nginx is measured without TLS, and needs -dir; %w", errUsage)
	}
	if strings.HasSuffix(addr, ":0") {
		if addr, err = peer.FreeAddr(); err != nil {
			return err
		}
	}
	fmt.Fprintln(con.out, addr)
	return peer.BecomeNginx(dir, addr)
}
