package server_test

import (
	"bytes"
	"crypto/sha1"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/shockwave-go/shockwave/server"
	"golang.org/x/net/http2"
)

// opens is the head of an extended CONNECT for a WebSocket.
func opens(path string, more ...string) []string {
	return append([]string{":method: CONNECT", ":protocol: websocket", ":scheme: http", ":authority: example.com",
		":path: " + path, "sec-websocket-version: 13"}, more...)
}

// switching is the response of RFC 6455 §4.2.2 to r, with further lines.
func switching(r *server.Request, more string) string {
	sum := sha1.Sum([]byte(r.Header().GetString("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " +
		base64.StdEncoding.EncodeToString(sum[:]) + "\r\n" + more + "\r\n"
}

// A handler sees the extended CONNECT for a WebSocket as the upgrade of HTTP/1.1, with a key made by the server; no field
// of the client's can replace those of the upgrade.
func TestH2WebSocketRequest(t *testing.T) {
	keys := map[string]bool{}
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		key := r.Header().GetString("Sec-WebSocket-Key")
		raw, err := base64.StdEncoding.DecodeString(key)
		if len(raw) != 16 || err != nil || keys[key] {
			t.Errorf("the key is %q", key)
		}
		keys[key] = true
		s := fmt.Sprintf("%s %s %s %s %d.%d %d %v %v %v", r.Method(), r.Path(), r.Query(), r.Host(), r.ProtoMajor(), r.ProtoMinor(),
			r.ContentLength(), r.KeepAlive(), r.Upgrade(), r.Multiplexed())
		body, err := r.Body()
		s += fmt.Sprintf(" %q %v", body, err)
		for i := range r.Header().Len() {
			if name, value := r.Header().At(i); string(value) != key {
				s += fmt.Sprintf("\n%s: %s", name, value)
			}
		}
		if !bytes.HasPrefix(r.Header().Bytes(), []byte("GET /c?d ")) {
			t.Errorf("the head is %q", r.Header().Bytes())
		}
		w.SetStatus(404)
		w.WriteString(s)
	})
	k := f.h2(t)
	for i, protocol := range []string{"websocket", "WebSocket"} {
		id := uint32(1 + 2*i)
		head := opens("/c?d", "cookie: a=1", "sec-websocket-key: mine", "content-length: 5", "cookie: b=2", "expect: 100-continue")
		head[1] = ":protocol: " + protocol
		k.headers(id, false, head...)
		k.wantStatusAndBody(id, 404, "GET /c d example.com 1.1 0 true true true \"\" <nil>\nhost: example.com\n"+
			"sec-websocket-version: 13\nexpect: 100-continue\ncookie: a=1; b=2\nConnection: Upgrade\nUpgrade: websocket")
		k.Want(fmt.Sprintf("RST_STREAM %d NO_ERROR", id))
	}
}

// The lines that the server adds to an upgrade do not count for MaxHeadFields.
func TestH2WebSocketFieldLimit(t *testing.T) {
	f := start(t, server.Config{MaxHeadFields: 3, Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
		w.SetStatus(404)
	})})
	k := f.h2(t)
	k.headers(1, true, opens("/", "x-a: 1")...)
	k.Want("HEADERS 1 404 content-length=0 END")
	k.headers(3, true, opens("/", "x-a: 1", "x-b: 2")...)
	k.wantStatusAndBody(3, 431, "the request's fields are too large or too many\n")
}

// However a handler writes its 101, the client gets the 200 of RFC 8441 without the upgrade's fields, and then the
// WebSocket's bytes, both ways.
func TestH2WebSocket(t *testing.T) {
	const more = "Sec-WebSocket-Protocol: chat\r\nSet-Cookie: a=b\r\nX-Hop: 1\r\nKeep-Alive: 5\r\n"
	whole := func(w *server.ResponseWriter, r *server.Request, send func(nc net.Conn, p []byte)) net.Conn {
		head := switching(r, strings.Replace(more, "X-Hop: 1", "Connection: X-Hop\r\nX-Hop: 1", 1))
		nc, _, err := w.Hijack()
		if err != nil {
			t.Error(err)
			return nil
		}
		send(nc, append([]byte(head), "hello"...))
		return nc
	}
	write := func(nc net.Conn, p []byte) {
		if n, err := nc.Write(p); n != len(p) || err != nil {
			t.Errorf("Write: %d, %v", n, err)
		}
	}
	ways := map[string]func(w *server.ResponseWriter, r *server.Request) net.Conn{
		"/status": func(w *server.ResponseWriter, r *server.Request) net.Conn {
			w.SetStatus(101)
			for _, line := range strings.Split(strings.TrimSuffix(switching(r, more), "\r\n\r\n"), "\r\n")[1:] {
				name, value, _ := strings.Cut(line, ": ")
				w.Header().Add(name, value)
			}
			w.Header().Add("Connection", "X-Hop")
			nc, _, err := w.Hijack()
			if err != nil {
				t.Error(err)
				return nil
			}
			write(nc, []byte("hello"))
			return nc
		},
		"/whole": func(w *server.ResponseWriter, r *server.Request) net.Conn { return whole(w, r, write) },
		"/bytes": func(w *server.ResponseWriter, r *server.Request) net.Conn {
			return whole(w, r, func(nc net.Conn, p []byte) {
				for i := range p {
					write(nc, p[i:i+1])
				}
			})
		},
		"/informed": func(w *server.ResponseWriter, r *server.Request) net.Conn {
			return whole(w, r, func(nc net.Conn, p []byte) {
				write(nc, append([]byte("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"), p...))
			})
		},
	}
	h := server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
		nc := ways[string(r.Path())](w, r)
		if nc == nil {
			return
		}
		io.Copy(nc, nc)
		nc.Close()
	})
	onH2Ways(t, server.Config{Handler: h}, func(t *testing.T, f *fixture, k *h2Talk) {
		id := uint32(1)
		for path := range ways {
			k.headers(id, false, opens(path)...)
			if path == "/informed" {
				k.Want(fmt.Sprintf("HEADERS %d 103 link=</a>", id))
			}
			k.Want(fmt.Sprintf("HEADERS %d 200 sec-websocket-protocol=chat set-cookie=a=b", id))
			k.wantData(id, "hello")
			k.data(id, "there", false)
			k.wantData(id, "there")
			k.data(id, "", true)
			k.Want(fmt.Sprintf(`DATA %d "" END`, id))
			k.WantIdle()
			id += 2
		}
	})
}

// wantData expects DATA with the bytes of want, in any number of frames.
func (k *h2Talk) wantData(id uint32, want string) {
	k.t.Helper()
	for want != "" {
		got, err := k.Next()
		var p string
		if err == nil {
			_, err = fmt.Sscanf(got, fmt.Sprintf("DATA %d %%q", id), &p)
		}
		if err != nil || p == "" || !strings.HasPrefix(want, p) {
			k.t.Fatalf("got %s, %v; want DATA %d %q; before: %q", got, err, id, want, k.Said)
		}
		want = want[len(p):]
	}
}

// Any response but 101 refuses the WebSocket; a 2xx does not open it.
func TestH2WebSocketRefusals(t *testing.T) {
	byHand := func(parts ...string) server.HandlerFunc {
		return func(w *server.ResponseWriter, r *server.Request) {
			nc, _, err := w.Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			for _, p := range parts {
				if n, err := nc.Write([]byte(p)); n != len(p) || err != nil {
					t.Errorf("Write: %d, %v", n, err)
				}
			}
			nc.Close()
		}
	}
	rows := []struct {
		name   string
		answer server.HandlerFunc
		want   []string // frames of stream 1
	}{
		{"nothing", func(*server.ResponseWriter, *server.Request) {}, []string{"HEADERS 1 501 content-length=0 END"}},
		{"a page", func(w *server.ResponseWriter, _ *server.Request) { w.WriteText("hello") },
			[]string{"HEADERS 1 501 content-length=5 content-type=text/plain; charset=utf-8", `DATA 1 "hello" END`}},
		{"no content", func(w *server.ResponseWriter, _ *server.Request) { w.SetStatus(204) }, []string{"HEADERS 1 501 END"}},
		{"a redirect", func(w *server.ResponseWriter, _ *server.Request) { w.Header().Set("Location", "/b"); w.SetStatus(302) },
			[]string{"HEADERS 1 302 content-length=0 location=/b END"}},
		{"with Connection: close", func(w *server.ResponseWriter, _ *server.Request) {
			w.SetStatus(401)
			w.Header().Set("Connection", "close")
			w.Header().Set("Www-Authenticate", "Basic")
			w.CloseAfter()
		}, []string{"HEADERS 1 401 content-length=0 www-authenticate=Basic END"}},
		{"a stream that was begun is not taken over", func(w *server.ResponseWriter, _ *server.Request) {
			w.SetStatus(403)
			if _, _, err := w.Hijack(); !errors.Is(err, http.ErrNotSupported) {
				t.Errorf("Hijack: %v", err)
			}
			w.WriteString("no")
		}, []string{"HEADERS 1 403 content-length=2", `DATA 1 "no" END`}},
		{"101 and nothing", func(w *server.ResponseWriter, _ *server.Request) { w.SetStatus(101) }, []string{"HEADERS 1 200 END"}},
		{"by hand, with a length", byHand("HTTP/1.1 401 Unauthorized\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello"),
			[]string{"HEADERS 1 401 content-length=5", `DATA 1 "hello" END`}},
		{"by hand, with no body", byHand("HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n"), []string{"HEADERS 1 403 content-length=0 END"}},
		{"by hand, with a length, in pieces", byHand("HTTP/1.1 401 Unauthorized\r\nContent-Le", "ngth: 5\r\n\r\nhel", "lo, and more"),
			[]string{"HEADERS 1 401 content-length=5", `DATA 1 "hel"`, `DATA 1 "lo" END`}},
		{"by hand, in chunks", byHand("HTTP/1.1 500 Oh\r\nTransfer-Encoding: chunked\r\nX-A: 1\r\n\r\n", "3\r\nhel\r\n2\r\n", "lo\r\n0\r\nX-Sum: 7\r\n\r\n"),
			[]string{"HEADERS 1 500 x-a=1", `DATA 1 "hel"`, `DATA 1 "lo"`, "HEADERS 1 x-sum=7 END"}},
		{"by hand, until the end", byHand("HTTP/1.0 503 Later\r\nRetry-After: 5\r\n\r\nlater"),
			[]string{"HEADERS 1 503 retry-after=5", `DATA 1 "later"`, `DATA 1 "" END`}},
		{"by hand, a page", byHand("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"), []string{"HEADERS 1 501 content-length=2", `DATA 1 "hi" END`}},
		{"by hand, no content", byHand("HTTP/1.1 204 No Content\r\n\r\n"), []string{"HEADERS 1 501 END"}},
		{"by hand, nothing", byHand(), []string{"RST_STREAM 1 INTERNAL_ERROR"}},
		{"by hand, half a head", byHand("HTTP/1.1 101 Switching"), []string{"RST_STREAM 1 INTERNAL_ERROR"}},
		{"by hand, half a body", byHand("HTTP/1.1 404 No\r\nContent-Length: 5\r\n\r\nhi"),
			[]string{"HEADERS 1 404 content-length=5", `DATA 1 "hi"`, "RST_STREAM 1 INTERNAL_ERROR"}},
		{"by hand, no response", func(w *server.ResponseWriter, _ *server.Request) {
			nc, _, _ := w.Hijack()
			for range 2 {
				if _, err := nc.Write([]byte("SSH-2.0-hello\r\n")); err == nil {
					t.Error("no error")
				}
			}
			nc.Close()
		}, []string{"RST_STREAM 1 INTERNAL_ERROR"}},
		{"by hand, a head without end", func(w *server.ResponseWriter, _ *server.Request) {
			nc, _, _ := w.Hijack()
			var err error
			for n := 0; err == nil && n < 1<<20; n += 16 {
				_, err = nc.Write([]byte("HTTP/1.1 101 Yes\r\n"[min(n, 1)*16:]))
				if n == 0 {
					_, err = nc.Write([]byte("s\r\nX: "))
				}
			}
			if err == nil {
				t.Error("there is no bound")
			}
			nc.Close()
		}, []string{"RST_STREAM 1 INTERNAL_ERROR"}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			f := handle(t, row.answer)
			k := f.h2(t)
			k.headers(1, true, opens("/")...)
			k.Want(row.want...)
			k.WantIdle() // the connection goes on
			k.headers(3, false, opens("/")...)
			for _, want := range row.want {
				k.Want(strings.Replace(want, " 1 ", " 3 ", 1))
			}
			if !strings.HasPrefix(row.want[len(row.want)-1], "RST") {
				k.Want("RST_STREAM 3 NO_ERROR") // the client need not send more
			}
			k.WantIdle()
		})
	}
}

// CloseWrite works as in a tunnel, also before the WebSocket has been opened.
func TestH2WebSocketCloseWrite(t *testing.T) {
	for said, want := range map[string][]string{
		"HTTP/1.1 101 Yes\r\n\r\n":                          {"HEADERS 1 200", `DATA 1 "" END`},
		"HTTP/1.1 404 No\r\n\r\n":                           {"HEADERS 1 404", `DATA 1 "" END`},
		"HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n":      {"HEADERS 1 404 content-length=0 END"},
		"HTTP/1.1 404 No\r\nContent-Length: 1\r\n\r\n":      {"HEADERS 1 404 content-length=1", "RST_STREAM 1 INTERNAL_ERROR"},
		"HTTP/1.1 404 No\r\nTransfer-Encoding: chunked\r\n": {"RST_STREAM 1 INTERNAL_ERROR"},
	} {
		complete := !strings.HasPrefix(want[len(want)-1], "RST")
		f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
			nc, _, err := w.Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			io.WriteString(nc, said)
			half := nc.(interface{ CloseWrite() error })
			if err := half.CloseWrite(); (err == nil) != complete {
				t.Errorf("%q: CloseWrite: %v", said, err)
			}
			if err := half.CloseWrite(); !errors.Is(err, net.ErrClosed) {
				t.Errorf("%q: CloseWrite again: %v", said, err)
			}
			if _, err := nc.Write([]byte("x")); !errors.Is(err, net.ErrClosed) {
				t.Errorf("%q: Write: %v", said, err)
			}
			if got, err := io.ReadAll(nc); complete && (string(got) != "bye" || err != nil) {
				t.Errorf("%q: read %q, %v", said, got, err)
			}
			nc.Close()
		})
		k := f.h2(t)
		k.headers(1, false, opens("/")...)
		k.Want(want...)
		if complete {
			k.data(1, "bye", true)
		}
		k.WantIdle()
	}
}

// A reset by the client is a connection reset for the handler, and the handler's abort is a reset for the client (RFC
// 8441 §5).
func TestH2WebSocketAborted(t *testing.T) {
	h, taken := tunnels(t)
	f := start(t, server.Config{Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
		w.SetStatus(101)
		h(w, r)
	})})
	k := f.h2(t)
	k.headers(1, false, opens("/")...)
	k.Want("HEADERS 1 200")
	nc := <-taken
	nc.(interface{ Abort() error }).Abort()
	k.Want("RST_STREAM 1 CANCEL")
	k.headers(3, false, opens("/")...)
	k.Want("HEADERS 3 200")
	nc = <-taken
	k.data(3, "last", false)
	k.Framer.WriteRSTStream(3, http2.ErrCodeCancel)
	k.WantIdle()
	got, err := io.ReadAll(nc)
	wantReset(t, "read", err)
	if string(got) != "last" {
		t.Errorf("read %q", got)
	}
	_, err = nc.Write([]byte("x"))
	wantReset(t, "write", err)
	nc.Close()
}

// wantReset expects the error of a connection that its peer has reset.
func wantReset(t *testing.T, op string, err error) {
	t.Helper()
	var e *net.OpError
	if !errors.As(err, &e) || e.Op != op || !errors.Is(err, syscall.ECONNRESET) || !strings.Contains(err.Error(), "reset") {
		t.Errorf("%s: got %v", op, err)
	}
}

// Extended CONNECT is offered unless the settings disable it.
func TestH2ConnectOffered(t *testing.T) {
	for _, tc := range []struct {
		cfg     server.HTTP2Config
		offered bool
	}{
		{server.HTTP2Config{}, true},
		{server.HTTP2Config{MaxConcurrentStreams: 2}, true},
		{server.HTTP2Config{MaxConcurrentStreams: 1}, false},
		{server.HTTP2Config{DisableExtendedConnect: true}, false},
	} {
		f := start(t, server.Config{HTTP2: tc.cfg, Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
			w.SetStatus(403)
		})})
		nc, err := net.Dial("tcp", f.addr)
		if err != nil {
			t.Fatal(err)
		}
		defer nc.Close()
		io.WriteString(nc, http2.ClientPreface)
		fr := http2.NewFramer(nc, nc)
		fr.WriteSettings()
		first, err := fr.ReadFrame()
		if err != nil {
			t.Fatal(err)
		}
		if v, _ := first.(*http2.SettingsFrame).Value(8); (v == 1) != tc.offered {
			t.Errorf("%+v: SETTINGS_ENABLE_CONNECT_PROTOCOL is %d", tc.cfg, v)
		}
		k := f.h2(t)
		k.headers(1, true, opens("/")...)
		k.Want(map[bool]string{true: "HEADERS 1 403 content-length=0 END", false: "RST_STREAM 1 PROTOCOL_ERROR"}[tc.offered])
	}
}

// A response that a handler writes by hand is read the same, however it is split.
func FuzzH2ByHand(f *testing.F) {
	for _, seed := range []string{
		"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nSec-WebSocket-Protocol: a\r\n\r\n\x81\x00",
		"HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\nHTTP/1.1 404 No\r\nContent-Length: 3\r\n\r\nabcd",
		"HTTP/1.1 500 Oh\r\nTransfer-Encoding: chunked\r\n\r\n3;x\r\nabc\r\n0\r\nA: b\r\n\r\n",
		"HTTP/1.0 200 OK\r\n\r\nuntil the end", "nothing",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, p []byte) {
		if len(p) > 1000 {
			return
		}
		whole := server.ReadByHand(p)
		for i := range p {
			if got := server.ReadByHand(p[:i], p[i:]); got != whole {
				t.Fatalf("cut at %d: %s, whole: %s", i, got, whole)
			}
		}
		single := slices.Collect(slices.Chunk(p, 1))
		if got := server.ReadByHand(single...); got != whole {
			t.Fatalf("byte by byte: %s, whole: %s", got, whole)
		}
	})
}
