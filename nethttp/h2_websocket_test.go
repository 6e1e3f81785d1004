package nethttp_test

import (
	"bufio"
	"crypto/sha1"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/http2"

	"github.com/shockwave-go/shockwave/internal/testsupport/h2talk"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/nethttp"
	"github.com/shockwave-go/shockwave/server"
)

// talkH2 begins a conversation over HTTP/2 with addr.
func talkH2(t *testing.T, addr string) *h2talk.Talk {
	t.Helper()
	nc, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { nc.Close() })
	io.WriteString(nc, http2.ClientPreface)
	k := h2talk.New(t, nc)
	k.Text = func(f http2.Frame) string {
		if m, ok := f.(*http2.MetaHeadersFrame); ok {
			kept := m.Fields[:0]
			for _, field := range m.Fields {
				if field.Name != "date" {
					kept = append(kept, field)
				}
			}
			m.Fields = kept
		}
		if f.Header().Type == http2.FrameWindowUpdate {
			return ""
		}
		return h2talk.Describe(f)
	}
	k.Framer.WriteSettings()
	k.Want("SETTINGS", "SETTINGS ack")
	k.Framer.WriteSettingsAck()
	return k
}

// openSocket asks for a WebSocket on a stream.
func openSocket(k *h2talk.Talk, id uint32, path string) {
	k.Headers(id, false, ":method", "CONNECT", ":protocol", "websocket", ":scheme", "http", ":authority", "h", ":path", path,
		"sec-websocket-version", "13", "origin", "http://h")
}

// acceptOf returns the Sec-WebSocket-Accept for a request (RFC 6455 §4.2.2).
func acceptOf(r *http.Request) string {
	sum := sha1.Sum([]byte(r.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// echoTo echoes what comes after a handshake.
func echoTo(t *testing.T, nc net.Conn, rw *bufio.ReadWriter, err error) {
	if err != nil {
		t.Errorf("Hijack: %v", err)
		return
	}
	io.Copy(nc, rw)
	nc.Close()
}

// onSocketServers runs test with a server of each kind, serving h.
func onSocketServers(t *testing.T, h http.Handler, test func(t *testing.T, k *h2talk.Talk)) {
	for name, s := range map[string]*nethttp.Server{
		"latched": {Handler: h, ErrorLog: quiet()},
		"plain":   {Handler: h, ErrorLog: quiet(), ConnState: func(net.Conn, http.ConnState) {}},
	} {
		t.Run(name, func(t *testing.T) { test(t, talkH2(t, serveOurs(t, s))) })
	}
	t.Run("handler", func(t *testing.T) {
		l := listen(t)
		s := server.NewServer(server.Config{Handler: nethttp.Handler(h)})
		ended := make(chan error, 1)
		go func() { ended <- s.Serve(l) }()
		defer func() { s.Close(); <-ended }()
		test(t, talkH2(t, l.Addr().String()))
	})
}

// A handler for HTTP/1.1 upgrades serves a WebSocket on an HTTP/2 stream, however it writes its 101.
func TestWebSocketOnStream(t *testing.T) {
	backend := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Upgrade", "websocket")
		w.Header().Set("Connection", "Upgrade")
		w.Header().Set("Sec-WebSocket-Accept", acceptOf(r))
		w.Header().Set("Sec-WebSocket-Protocol", "chat")
		w.WriteHeader(http.StatusSwitchingProtocols)
		nc, rw, err := w.(http.Hijacker).Hijack()
		echoTo(t, nc, rw, err)
	})
	target, err := url.Parse("http://" + serveOurs(t, &nethttp.Server{Handler: backend, ErrorLog: quiet()}))
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.Transport = &http.Transport{DisableKeepAlives: true}
	mux := http.NewServeMux()
	mux.Handle("GET /status", backend)
	mux.Handle("GET /proxy", proxy)
	byHand := func(take func(w http.ResponseWriter) (net.Conn, *bufio.ReadWriter, error)) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			nc, rw, err := take(w)
			if err == nil {
				fmt.Fprintf(rw, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"+
					"Sec-WebSocket-Accept: %s\r\nSec-WebSocket-Protocol: chat\r\n\r\n", acceptOf(r))
				rw.Flush()
			}
			echoTo(t, nc, rw, err)
		}
	}
	mux.HandleFunc("GET /hijacker", byHand(func(w http.ResponseWriter) (net.Conn, *bufio.ReadWriter, error) {
		return w.(http.Hijacker).Hijack()
	}))
	mux.HandleFunc("GET /controller", byHand(func(w http.ResponseWriter) (net.Conn, *bufio.ReadWriter, error) {
		return http.NewResponseController(struct{ middleWriter }{middleWriter{w}}).Hijack()
	}))
	onSocketServers(t, mux, func(t *testing.T, k *h2talk.Talk) {
		for i, path := range []string{"/status", "/proxy", "/hijacker", "/controller"} {
			id := uint32(1 + 2*i)
			openSocket(k, id, path)
			k.Want(fmt.Sprintf("HEADERS %d 200 sec-websocket-protocol=chat", id))
			k.Framer.WriteData(id, false, []byte("hello"))
			k.Want(fmt.Sprintf("DATA %d %q", id, "hello"))
			k.Framer.WriteData(id, true, []byte("bye"))
			k.Want(fmt.Sprintf("DATA %d %q", id, "bye"), fmt.Sprintf(`DATA %d "" END`, id))
			k.WantIdle()
		}
	})
}

// middleWriter is a middleware's ResponseWriter.
type middleWriter struct{ w http.ResponseWriter }

func (w middleWriter) Header() http.Header         { return w.w.Header() }
func (w middleWriter) Write(p []byte) (int, error) { return w.w.Write(p) }
func (w middleWriter) WriteHeader(code int)        { w.w.WriteHeader(code) }
func (w middleWriter) Unwrap() http.ResponseWriter { return w.w }

// A handler sees a WebSocket on a stream as an HTTP/1.1 upgrade, and its context ends with the client until the
// connection is hijacked.
func TestWebSocketOnStreamAsSeen(t *testing.T) {
	ended := make(chan error, 1)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/waits" {
			w.WriteHeader(http.StatusEarlyHints)
			<-r.Context().Done()
			_, _, err := http.NewResponseController(w).Hijack()
			ended <- err
			return
		}
		raw, err := base64.StdEncoding.DecodeString(r.Header.Get("Sec-WebSocket-Key"))
		if len(raw) != 16 || err != nil {
			t.Errorf("the key is %q", r.Header.Get("Sec-WebSocket-Key"))
		}
		r.Header.Del("Sec-WebSocket-Key")
		body, err := io.ReadAll(r.Body)
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprintf(w, "%s %s %s %d.%d %s %d %v %v %q %v %v\n", r.Method, r.RequestURI, r.Proto, r.ProtoMajor, r.ProtoMinor, r.Host,
			r.ContentLength, r.Body == http.NoBody, r.Close, body, err, r.TransferEncoding)
		r.Header.Write(w)
	})
	onSocketServers(t, h, func(t *testing.T, k *h2talk.Talk) {
		var text strings.Builder
		show := k.Text
		k.Text = func(f http2.Frame) string {
			if d, ok := f.(*http2.DataFrame); ok {
				text.Write(d.Data())
			}
			return show(f)
		}
		openSocket(k, 1, "/a?b")
		for got := ""; !strings.HasSuffix(got, "END") || strings.HasPrefix(got, "HEADERS"); {
			var err error
			if got, err = k.Next(); err != nil {
				t.Fatal(err)
			}
		}
		const want = "GET /a?b HTTP/1.1 1.1 h 0 true false \"\" <nil> []\n" +
			"Connection: Upgrade\r\nOrigin: http://h\r\nSec-Websocket-Version: 13\r\nUpgrade: websocket\r\n"
		if text.String() != want {
			t.Errorf("the handler has seen\n%s, want\n%s", text.String(), want)
		}
		k.Want("RST_STREAM 1 NO_ERROR")
		openSocket(k, 3, "/waits")
		k.Want("HEADERS 3 103")
		k.Framer.WriteRSTStream(3, http2.ErrCodeCancel)
		if err := wiretest.Within(t, "the end of the context", ended); err != nil && errors.Is(err, http.ErrNotSupported) {
			t.Errorf("Hijack: %v", err)
		}
		k.WantIdle()
	})
}

// A response other than 101 does not open a WebSocket, and does not end the connection.
func TestWebSocketOnStreamRefused(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "hi") })
	mux.HandleFunc("/close", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Connection", "close")
		w.Header().Set("Upgrade", "websocket")
		w.WriteHeader(http.StatusUpgradeRequired)
	})
	mux.HandleFunc("/panic", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	onSocketServers(t, mux, func(t *testing.T, k *h2talk.Talk) {
		openSocket(k, 1, "/any")
		k.Want("HEADERS 1 501 content-length=2 content-type=text/plain; charset=utf-8", `DATA 1 "hi" END`, "RST_STREAM 1 NO_ERROR")
		openSocket(k, 3, "/close")
		k.Want("HEADERS 3 426 content-length=0 END", "RST_STREAM 3 NO_ERROR")
		openSocket(k, 5, "/panic")
		k.Want("RST_STREAM 5 INTERNAL_ERROR")
		k.WantIdle()
	})
}

// With DisableExtendedConnect the server does not offer extended CONNECT.
func TestDisableExtendedConnect(t *testing.T) {
	for _, s := range []*nethttp.Server{{}, {HTTP2: &http.HTTP2Config{}}} {
		s.Handler, s.ErrorLog, s.DisableExtendedConnect = http.NotFoundHandler(), quiet(), true
		k := talkH2(t, serveOurs(t, s))
		openSocket(k, 1, "/")
		k.Want("RST_STREAM 1 PROTOCOL_ERROR")
		k.WantIdle()
	}
}
