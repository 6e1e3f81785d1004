package dial

import (
	"io"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/internal/wiretest"
)

const socksOpened = "\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00"

func viaSocks() *Target {
	return &Target{Host: "example.com", Port: "443", Proxy: &Proxy{Scheme: SOCKS5, Host: "proxy", Port: "1080"}}
}

// TestSocks: the proxy is told the name (RFC 1928 §4, §5), and the connection is given out as it is.
func TestSocks(t *testing.T) {
	for _, split := range []wiretest.Split{nil, wiretest.EveryByte} {
		target := viaSocks()
		h := through(t, target, split)
		done := begin(t.Context(), target)
		h.Want("\x05\x01\x00")
		h.Send("\x05\x00")
		h.Want("\x05\x01\x00\x03\x0bexample.com\x01\xbb")
		h.Send(socksOpened + "220 ready")
		nc := connected(t, done)
		if nc != h.near || h.addr != "proxy:1080" {
			t.Errorf("got a %T, by %s; want the connection to the proxy itself", nc, h.addr)
		}
		h.Close()
		if got, err := io.ReadAll(nc); string(got) != "220 ready" || err != nil {
			t.Errorf("got %q, %v", got, err)
		}
	}
}

// TestSocksLogin is RFC 1929 §2.
func TestSocksLogin(t *testing.T) {
	target := viaSocks()
	target.Host = "::1"
	target.Proxy.Login = &Login{"me", "secret"}
	h := through(t, target, nil)
	done := begin(t.Context(), target)
	h.Want("\x05\x02\x00\x02")
	h.Send("\x05\x02")
	h.Want("\x01\x02me\x06secret")
	h.Send("\x01\x00")
	h.Want("\x05\x01\x00\x04" + strings.Repeat("\x00", 15) + "\x01\x01\xbb")
	h.Send(socksOpened)
	connected(t, done)
}

func TestSocksRefused(t *testing.T) {
	for name, answer := range map[string]string{
		"no method":   "\x05\xff",
		"not socks":   "HTTP/1.1 400 Bad\r\n\r\n",
		"unreachable": "\x05\x00\x05\x04\x00\x01\x00\x00\x00\x00\x00\x00",
		"cut off":     "\x05\x00\x05",
	} {
		t.Run(name, func(t *testing.T) {
			target := viaSocks()
			h := through(t, target, nil)
			done := begin(t.Context(), target)
			h.Want("\x05\x01\x00")
			h.Send(answer)
			h.HalfClose()
			if r := wait(t, done); r.nc != nil || r.err == nil {
				t.Errorf("got %v, %v", r.nc, r.err)
			}
			h.WantGone()
		})
	}
}
