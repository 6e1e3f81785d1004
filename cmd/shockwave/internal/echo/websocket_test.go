package echo

import (
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/clitest"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/site"
)

// onEveryEcho runs a test against the native echo and net/http's, by blocking loops and by callbacks, with and without
// compression; and once over TLS.
func onEveryEcho(t *testing.T, test func(t *testing.T, r *clitest.Running, opt Options)) {
	all := []Options{{Options: clitest.OverTLS}, {Options: site.Options{TLS: true}, Native: true, WsCallback: true}}
	for i := range 8 {
		all = append(all, Options{Native: i&1 != 0, WsCallback: i&2 != 0, Deflate: i&4 != 0})
	}
	for _, opt := range all {
		t.Run(fmt.Sprintf("native=%v,callback=%v,deflate=%v,tls=%v", opt.Native, opt.WsCallback, opt.Deflate, opt.TLS), func(t *testing.T) {
			t.Parallel()
			test(t, clitest.Serve(t, opt), opt)
		})
	}
}

// WebSocket messages come back unchanged.
func TestEchoWebSocket(t *testing.T) {
	longest := strings.Repeat("0123456789abcdef", 1<<20) // 16 MiB, as in the conformance cases
	onEveryEcho(t, func(t *testing.T, r *clitest.Running, opt Options) {
		big := longest
		if opt.TLS {
			big = longest[:1<<20]
		}
		k := r.Hello("/any/path?q")
		k.SayFrame(clitest.Fin|clitest.Text, "hello")
		k.WantFrame("text comes back", clitest.Fin|clitest.Text, "hello")
		k.SayFrame(clitest.Fin|clitest.Text, "")
		k.WantFrame("no text comes back", clitest.Fin|clitest.Text, "")
		k.SayFrame(clitest.Fin|clitest.Binaries, "\x00\xff\x80")
		k.WantFrame("bytes come back", clitest.Fin|clitest.Binaries, "\x00\xff\x80")
		k.SayFrame(clitest.Fin|clitest.Binaries, big[:70_000])
		k.WantFrame("many bytes come back", clitest.Fin|clitest.Binaries, big[:70_000])
		k.SayFrame(clitest.Fin|clitest.Text, big)
		k.WantFrame("a long text comes back", clitest.Fin|clitest.Text, big)

		k.SayFrame(clitest.Text, "frag")
		k.SayFrame(clitest.Fin|clitest.Pings, "amid")
		k.WantFrame("a ping is answered amid a message", clitest.Fin|clitest.Pongs, "amid")
		k.SayFrame(clitest.Continues, "men")
		k.SayFrame(clitest.Fin|clitest.Continues, "ts")
		k.WantFrame("fragments come back as one", clitest.Fin|clitest.Text, "fragments")

		k.SayFrame(clitest.Fin|clitest.Closes, "\x03\xe8bye")
		k.WantFrame("the code comes back", clitest.Fin|clitest.Closes, "\x03\xe8")
		k.WantEnd()
	})
}

// Each broken rule of WebSocket is answered with its close code.
func TestEchoClosesWithCodes(t *testing.T) {
	onEveryEcho(t, func(t *testing.T, r *clitest.Running, _ Options) {
		for _, tc := range []struct {
			why     string
			first   byte
			payload string
			code    string
		}{
			{"no code", clitest.Fin | clitest.Closes, "", ""},
			{"an application's code", clitest.Fin | clitest.Closes, "\x0f\xa0", "\x0f\xa0"},
			{"a code that nobody may send", clitest.Fin | clitest.Closes, "\x03\xed", "\x03\xea"},
			{"a reserved opcode", clitest.Fin | 3, "", "\x03\xea"},
			{"a continuation of nothing", clitest.Fin | clitest.Continues, "x", "\x03\xea"},
			{"text that is not UTF-8", clitest.Fin | clitest.Text, "\xc3\x28", "\x03\xef"},
		} {
			k := r.Hello("/")
			k.SayFrame(tc.first, tc.payload)
			f, p := k.HearFrame()
			if f != clitest.Fin|clitest.Closes || !strings.HasPrefix(p, tc.code) || tc.code == "" && p != "" {
				t.Errorf("%s: got %x %q, want a close frame with %x", tc.why, f, p, tc.code)
			}
		}
		k := r.Hello("/")
		k.Say("\x82\xff\x00\x00\x00\x00\x04\x00\x00\x01\x00\x00\x00\x00")
		k.WantFrame("one byte more than the limit announced", clitest.Fin|clitest.Closes, "\x03\xf1")
	})
}

// With -deflate messages are compressed for clients that offer it.
func TestEchoCompresses(t *testing.T) {
	long := strings.Repeat("all work and no play ", 100)
	onEveryEcho(t, func(t *testing.T, r *clitest.Running, opt Options) {
		k := r.Dial()
		resp := k.Upgrade("/", "Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover")
		agreed := resp.Header.Get("Sec-WebSocket-Extensions")
		if opt.Deflate != strings.HasPrefix(agreed, "permessage-deflate") {
			t.Fatalf("Sec-WebSocket-Extensions %q", agreed)
		}
		if !opt.Deflate {
			return
		}
		var b bytes.Buffer
		w, _ := flate.NewWriter(&b, flate.BestCompression)
		io.WriteString(w, long)
		w.Flush()
		k.SayFrame(clitest.Fin|clitest.Text|clitest.Squeezed, strings.TrimSuffix(b.String(), "\x00\x00\xff\xff"))
		first, p := k.HearFrame()
		if first != clitest.Fin|clitest.Text|clitest.Squeezed || len(p) > len(long)/2 {
			t.Fatalf("got frame %x of %d bytes", first, len(p))
		}
		plain, _ := io.ReadAll(flate.NewReader(strings.NewReader(p + "\x00\x00\xff\xff\x01\x00\x00\xff\xff")))
		if string(plain) != long {
			t.Errorf("got %.80q (%d bytes), want %.80q (%d bytes)", plain, len(plain), long, len(long))
		}
	})
}

// At shutdown WebSockets are closed with 1001.
func TestEchoSaysGoodbye(t *testing.T) {
	onEveryEcho(t, func(t *testing.T, r *clitest.Running, _ Options) {
		k := r.Hello("/")
		k.SayFrame(clitest.Fin|clitest.Text, "here")
		k.WantFrame("it echoes", clitest.Fin|clitest.Text, "here")
		r.First()
		k.WantFrame("it goes away", clitest.Fin|clitest.Closes, "\x03\xe9")
		k.SayFrame(clitest.Fin|clitest.Text, "too late to be echoed")
		k.SayFrame(clitest.Fin|clitest.Closes, "\x03\xe9")
		k.WantEnd()
		k.Conn.Close()
		if err := r.End(); err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
}

// A request that is half an upgrade is refused, or answered as an ordinary one.
func TestEchoRefusesHalfUpgrades(t *testing.T) {
	onBothEchoes(t, func(t *testing.T, r *clitest.Running) {
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
			k := r.Dial()
			k.Say(tc.say)
			if resp, body := k.Hear("GET"); resp.StatusCode != tc.status {
				t.Errorf("%.300q: %s %q, want %d", tc.say, resp.Status, body, tc.status)
			}
		}
	})
}
