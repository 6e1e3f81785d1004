// Command caddy is Caddy as an HTTP/3 server that gives the responses of the suite http3. It is a module of its own: Caddy has many
// dependencies, and its own version of quic-go.
//
//	caddy -addr HOST:PORT -dir DIR    where DIR has the certificate, its key, and the files that are served
//
// It prints its address, and serves until its standard input ends. For each word that it reads there it reports what it uses.
package main

import (
	"flag"
	"fmt"
	"net"
	"os"
	"runtime/debug"

	"github.com/caddyserver/caddy/v2"
	_ "github.com/caddyserver/caddy/v2/modules/caddyhttp/fileserver"
	_ "github.com/caddyserver/caddy/v2/modules/caddyhttp/headers"
	_ "github.com/caddyserver/caddy/v2/modules/caddytls"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:0", "`HOST:PORT` to listen on; port 0 picks a free one")
	dir := flag.String("dir", ".", "where the files are")
	tell := flag.Bool("version", false, "print Caddy's version")
	flag.Parse()
	if *tell {
		fmt.Println(version())
		return
	}
	if err := serve(*addr, *dir); err != nil {
		fmt.Fprintln(os.Stderr, "caddy:", err)
		os.Exit(1)
	}
}

// serve serves until standard input ends.
func serve(addr, dir string) error {
	addr, err := choose(addr)
	if err != nil {
		return err
	}
	conf, err := configure(addr, dir)
	if err != nil {
		return err
	}
	if err := caddy.Load(conf, true); err != nil {
		return err
	}
	fmt.Println(addr)
	return control(os.Stdin, os.Stdout)
}

// choose returns addr. It replaces a port 0 by a port that was free a moment ago, because Caddy does not tell the port of a socket
// of UDP.
func choose(addr string) (string, error) {
	if _, port, err := net.SplitHostPort(addr); err != nil || port != "0" {
		return addr, err
	}
	pc, err := net.ListenPacket("udp", addr)
	if err != nil {
		return "", err
	}
	defer pc.Close()
	return pc.LocalAddr().String(), nil
}

// version returns Caddy's version, for example "v2.11.9".
func version() string {
	info, _ := debug.ReadBuildInfo()
	for _, dep := range info.Deps {
		if dep.Path == "github.com/caddyserver/caddy/v2" {
			return dep.Version
		}
	}
	return "unknown"
}
