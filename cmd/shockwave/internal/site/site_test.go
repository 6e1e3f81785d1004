package site

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
)

// parsedSite is a site as a command line has it.
func parsedSite(args string) (opt Options, err error) {
	set := flag.NewFlagSet("site", flag.ContinueOnError)
	opt.Define(set, "")
	if err := cli.ParseFlags(set, strings.Fields(args), cli.Console{Out: io.Discard, Err: io.Discard}); err != nil {
		return opt, err
	}
	return opt, opt.Check(set)
}

// The flags of a site choose TCP, TLS and UDP.
func TestSites(t *testing.T) {
	for args, want := range map[string]string{
		"":                   "tcp",
		"-h3=false":          "tcp",
		"-tls":               "tcp tls udp",
		"-tls -h3=false":     "tcp tls",
		"-tls -h3":           "tcp tls udp",
		"-h3":                "udp",
		"-h3 -addr unix:a/b": "site: -h3 wants a HOST:PORT, not a Unix socket",
	} {
		got := ""
		opt, err := parsedSite("-addr 127.0.0.1:0 " + args)
		if err != nil {
			got = err.Error()
		} else {
			at, err := opt.Open(cli.Console{Out: io.Discard, Err: io.Discard})
			if err != nil {
				t.Fatal(err)
			}
			if at.Listener != nil {
				got = "tcp"
			}
			if at.tls {
				got += " tls"
			}
			if at.UDP != nil {
				got += " udp"
				if at.Listener != nil && at.UDP.LocalAddr().String() != at.Listener.Addr().String() {
					t.Errorf("%s: UDP is at %v, TCP at %v", args, at.UDP.LocalAddr(), at.Listener.Addr())
				}
			}
			at.Close()
		}
		if got = strings.TrimSpace(got); got != want {
			t.Errorf("%q is %q, want %q", args, got, want)
		}
	}
}

// Where the port of UDP is taken, TLS is served without HTTP/3 and the user is told; with -h3 it is an error.
func TestSiteWithoutUDP(t *testing.T) {
	var told bytes.Buffer
	var opt Options
	var at Site
	err := error(syscall.EADDRINUSE)
	for range 20 {
		taken, e := net.ListenPacket("udp", "127.0.0.1:0")
		if e != nil {
			t.Fatal(e)
		}
		defer taken.Close()
		opt = Options{Addr: taken.LocalAddr().String(), TLS: true, H3: true}
		if at, err = opt.Open(cli.Console{Out: &told, Err: &told}); !errors.Is(err, syscall.EADDRINUSE) { // some other test may have the port of TCP
			break
		}
	}
	if err != nil || at.UDP != nil || !at.tls || !strings.Contains(told.String(), "no HTTP/3 here: ") {
		t.Errorf("%+v, %v; told %q", at, err, told.String())
	}
	at.Close()
	opt.Asked = true
	if at, err := opt.Open(cli.Console{Out: &told, Err: &told}); err == nil {
		t.Error("HTTP/3 was asked for and is not there")
		at.Close()
	}
}
