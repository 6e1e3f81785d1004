package main

import (
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"strings"
	"testing"
)

// onEveryEcho runs a test against the native echo and net/http's, by blocking loops and by callbacks, with and without
// compression; and once over TLS.
func onEveryEcho(t *testing.T, test func(t *testing.T, r *running, opt echoOptions)) {
	all := []echoOptions{{siteOptions: overTLS}, {siteOptions: siteOptions{tls: true}, native: true, wsCallback: true}}
	for i := range 8 {
		all = append(all, echoOptions{native: i&1 != 0, wsCallback: i&2 != 0, deflate: i&4 != 0})
	}
	for _, opt := range all {
		t.Run(fmt.Sprintf("native=%v,callback=%v,deflate=%v,tls=%v", opt.native, opt.wsCallback, opt.deflate, opt.tls), func(t *testing.T) {
			t.Parallel()
			test(t, start(t, opt), opt)
		})
	}
}

// hello opens WebSocket on a new connection.
func (r *running) hello(path string, lines ...string) *talk {
	r.t.Helper()
	k := r.dial()
	resp := k.upgrade(path, lines...)
	if resp.StatusCode != 101 || resp.Header.Get("Sec-WebSocket-Accept") != "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" {
		r.t.Fatalf("upgrade: %s, Accept %q", resp.Status, resp.Header.Get("Sec-WebSocket-Accept"))
	}
	return k
}

func TestEchoWebSocket(t *testing.T) {
	longest := strings.Repeat("0123456789abcdef", 1<<20) // 16 MiB, as in the conformance cases
	onEveryEcho(t, func(t *testing.T, r *running, opt echoOptions) {
		big := longest
		if opt.tls {
			big = longest[:1<<20]
		}
		k := r.hello("/any/path?q")
		k.sayFrame(fin|text, "hello")
		k.wantFrame("text comes back", fin|text, "hello")
		k.sayFrame(fin|text, "")
		k.wantFrame("no text comes back", fin|text, "")
		k.sayFrame(fin|binaries, "\x00\xff\x80")
		k.wantFrame("bytes come back", fin|binaries, "\x00\xff\x80")
		k.sayFrame(fin|binaries, big[:70_000])
		k.wantFrame("many bytes come back", fin|binaries, big[:70_000])
		k.sayFrame(fin|text, big)
		k.wantFrame("a long text comes back", fin|text, big)

		k.sayFrame(text, "frag")
		k.sayFrame(fin|pings, "amid")
		k.wantFrame("a ping is answered amid a message", fin|pongs, "amid")
		k.sayFrame(continues, "men")
		k.sayFrame(fin|continues, "ts")
		k.wantFrame("fragments come back as one", fin|text, "fragments")

		k.sayFrame(fin|closes, "\x03\xe8bye")
		k.wantFrame("the code comes back", fin|closes, "\x03\xe8")
		k.wantEnd()
	})
}

// TestEchoClosesWithCodes: what breaks the protocol is answered with the code for it.
func TestEchoClosesWithCodes(t *testing.T) {
	onEveryEcho(t, func(t *testing.T, r *running, _ echoOptions) {
		for _, tc := range []struct {
			why     string
			first   byte
			payload string
			code    string
		}{
			{"no code", fin | closes, "", ""},
			{"an application's code", fin | closes, "\x0f\xa0", "\x0f\xa0"},
			{"a code that nobody may send", fin | closes, "\x03\xed", "\x03\xea"},
			{"a reserved opcode", fin | 3, "", "\x03\xea"},
			{"a continuation of nothing", fin | continues, "x", "\x03\xea"},
			{"text that is not UTF-8", fin | text, "\xc3\x28", "\x03\xef"},
		} {
			k := r.hello("/")
			k.sayFrame(tc.first, tc.payload)
			f, p := k.hearFrame()
			if f != fin|closes || !strings.HasPrefix(p, tc.code) || tc.code == "" && p != "" {
				t.Errorf("%s: got %x %q, want a close frame with %x", tc.why, f, p, tc.code)
			}
		}
		k := r.hello("/")
		k.say("\x82\xff\x00\x00\x00\x00\x04\x00\x00\x01\x00\x00\x00\x00")
		k.wantFrame("one byte more than the limit announced", fin|closes, "\x03\xf1")
	})
}

func TestEchoCompresses(t *testing.T) {
	long := strings.Repeat("all work and no play ", 100)
	onEveryEcho(t, func(t *testing.T, r *running, opt echoOptions) {
		k := r.dial()
		resp := k.upgrade("/", "Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover")
		agreed := resp.Header.Get("Sec-WebSocket-Extensions")
		if opt.deflate != strings.HasPrefix(agreed, "permessage-deflate") {
			t.Fatalf("Sec-WebSocket-Extensions %q", agreed)
		}
		if !opt.deflate {
			return
		}
		var b bytes.Buffer
		w, _ := flate.NewWriter(&b, flate.BestCompression)
		io.WriteString(w, long)
		w.Flush()
		k.sayFrame(fin|text|squeezed, strings.TrimSuffix(b.String(), "\x00\x00\xff\xff"))
		first, p := k.hearFrame()
		if first != fin|text|squeezed || len(p) > len(long)/2 {
			t.Fatalf("got frame %x of %d bytes", first, len(p))
		}
		plain, _ := io.ReadAll(flate.NewReader(strings.NewReader(p + "\x00\x00\xff\xff\x01\x00\x00\xff\xff")))
		if string(plain) != long {
			t.Errorf("got %.80q (%d bytes), want %.80q (%d bytes)", plain, len(plain), long, len(long))
		}
	})
}

// TestEchoSaysGoodbye: at the end of the program the peers are told that it goes away, and are heard out.
func TestEchoSaysGoodbye(t *testing.T) {
	onEveryEcho(t, func(t *testing.T, r *running, _ echoOptions) {
		k := r.hello("/")
		k.sayFrame(fin|text, "here")
		k.wantFrame("it echoes", fin|text, "here")
		r.first()
		k.wantFrame("it goes away", fin|closes, "\x03\xe9")
		k.sayFrame(fin|text, "too late to be echoed")
		k.sayFrame(fin|closes, "\x03\xe9")
		k.wantEnd()
		k.nc.Close()
		if err := r.end(); err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
}

// TestEchoRefusesHalfUpgrades: what asks for WebSocket and does it wrong is refused, also with a body.
func TestEchoRefusesHalfUpgrades(t *testing.T) {
	onBothEchoes(t, func(t *testing.T, r *running) {
		const asks = " / HTTP/1.1\r\nHost: h\r\nConnection: keep-alive, Upgrade\r\nUpgrade: WebSocket\r\nSec-WebSocket-Version: 13\r\n"
		for _, tc := range []struct {
			say    string
			status int
		}{
			{"GET" + asks + "\r\n", 400},
			{"GET" + asks + "Sec-WebSocket-Key: short\r\n\r\n", 400},
			{"POST" + asks + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nContent-Length: 0\r\n\r\n", 405},
			{"GET" + asks + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nContent-Length: 2\r\n\r\nhi", 400},
		} {
			k := r.dial()
			k.say(tc.say)
			if resp, body := k.hear("GET"); resp.StatusCode != tc.status {
				t.Errorf("%.300q: %s %q, want %d", tc.say, resp.Status, body, tc.status)
			}
		}
	})
}
