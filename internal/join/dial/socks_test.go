package dial

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

const socksOpened = "\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00"

func viaSocks() *Target {
	return &Target{Host: "example.com", Port: "443", Proxy: &Proxy{Scheme: SOCKS5, Host: "proxy", Port: "1080"}}
}

// The SOCKS5 proxy gets the host's name (RFC 1928 §4, §5).
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

// The login is sent as RFC 1929 §2 says.
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

// A name may have 255 bytes, and no more.
func TestSocksLongName(t *testing.T) {
	target := viaSocks()
	target.Host = strings.Repeat("a", 255)
	h := through(t, target, nil)
	done := begin(t.Context(), target)
	h.Want("\x05\x01\x00")
	h.Send("\x05\x00")
	h.Want("\x05\x01\x00\x03\xff" + target.Host + "\x01\xbb")
	h.Send(socksOpened)
	connected(t, done)
}

// Replies with every kind of address are read, and no byte behind them.
func TestSocksReplies(t *testing.T) {
	for _, bound := range []string{"\x01\x7f\x00\x00\x01", "\x04" + strings.Repeat("\x00", 16), "\x03\x04host", "\x03\x00"} {
		target := viaSocks()
		h := through(t, target, nil)
		done := begin(t.Context(), target)
		h.WantN(3)
		h.Send("\x05\x00")
		h.WantUntil("\x01\xbb")
		h.Send("\x05\x00\x00" + bound + "\x04\x38" + "220 ready")
		k := wiretest.NewTalk(t, connected(t, done))
		k.Want("220 ready")
	}
}

// Refusals of the proxy are errors (RFC 1928 §3, §6; RFC 1929 §2).
func TestSocksRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		login    *Login
		response string
		msg      string // of a *ProxyError; else the connection is cut
	}{
		"no method":       {response: "\x05\xff", msg: "no acceptable authentication methods"},
		"wrong login":     {login: &Login{"me", ""}, response: "\x05\x02\x01\x01", msg: "authentication failed"},
		"not socks":       {response: "HTTP/1.1 400 Bad\r\n\r\n", msg: "unexpected protocol version"},
		"not socks later": {response: "\x05\x00\x04\x00\x00\x01", msg: "unexpected protocol version"},
		"unreachable":     {response: "\x05\x00\x05\x04\x00\x01\x00\x00\x00\x00\x00\x00", msg: "host unreachable"},
		"unknown reply":   {response: "\x05\x00\x05\xee\x00\x01", msg: "238"},
		"unknown address": {response: "\x05\x00\x05\x00\x00\x02\x00", msg: "unknown address type"},
		"cut off":         {response: "\x05\x00\x05"},
		"cut off later":   {response: "\x05\x00\x05\x00\x00\x03\x04hos"},
	} {
		t.Run(name, func(t *testing.T) {
			target := viaSocks()
			target.Proxy.Login = tc.login
			h := through(t, target, nil)
			done := begin(t.Context(), target)
			h.Send(tc.response)
			h.HalfClose()
			r := wait(t, done)
			var refused *ProxyError
			if errors.As(r.err, &refused) {
				if refused.Status != 0 || tc.msg == "" || !strings.Contains(refused.Msg, tc.msg) {
					t.Errorf("got %#v", refused)
				}
			} else if r.nc != nil || tc.msg != "" || r.err != io.ErrUnexpectedEOF {
				t.Errorf("got %v, %v", r.nc, r.err)
			}
		})
	}
}

// A host or login that is too long is not sent to the proxy.
func TestSocksUnsendable(t *testing.T) {
	for _, change := range []func(t *Target){
		func(t *Target) { t.Host = strings.Repeat("a", 256) },
		func(t *Target) { t.Host = "" },
		func(t *Target) { t.Proxy.Login = &Login{"", "secret"} },
		func(t *Target) { t.Proxy.Login = &Login{"me", strings.Repeat("a", 256)} },
		func(t *Target) { t.Proxy.Login = &Login{strings.Repeat("a", 256), "secret"} },
	} {
		target := viaSocks()
		change(target)
		h := through(t, target, nil)
		if r := wait(t, begin(t.Context(), target)); r.nc != nil || r.err != errConnect {
			t.Errorf("got %v, %v", r.nc, r.err)
		}
		h.WantEOF()
	}
}
