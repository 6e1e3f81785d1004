package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/server"
	"golang.org/x/net/http2"
)

// seen responds with all that a handler sees of a request: a word for each part of the head, a line for each field.
func seen(w *server.ResponseWriter, r *server.Request) {
	s := fmt.Sprintf("%s %s %q %q %s %d.%d %d %v %v %v", r.Method(), r.Target(), r.Path(), r.Query(), r.Host(), r.ProtoMajor(), r.ProtoMinor(),
		r.ContentLength(), r.KeepAlive(), r.Upgrade(), r.Chunked())
	for i := range r.Header().Len() {
		name, value := r.Header().At(i)
		s += fmt.Sprintf("\n%s: %s", name, value)
	}
	w.WriteBody("a/b", []byte(s))
}

// wantStatusAndBody reads a response of one DATA frame.
func (k *h2Talk) wantStatusAndBody(id uint32, status int, want string) {
	k.t.Helper()
	head, err := k.Next()
	if err != nil || !strings.HasPrefix(head, fmt.Sprintf("HEADERS %d %d ", id, status)) {
		k.t.Fatalf("got %s, %v", head, err)
	}
	f, err := k.Framer.ReadFrame()
	if err != nil {
		k.t.Fatal(err)
	}
	d, ok := f.(*http2.DataFrame)
	if !ok || !d.StreamEnded() || string(d.Data()) != want {
		k.t.Errorf("got %q\nwant %q", d.Data(), want)
	}
}

// The request that is upgraded to HTTP/2 looks like one received over HTTP/2, without the fields about its connection
// (RFC 9113 §8.2.2, §8.3.1).
func TestWhatIsUpgraded(t *testing.T) {
	const asks = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n"
	f := handle(t, seen)
	for request, want := range map[string]string{
		"GET /a HTTP/1.1\r\nHost: h:1\r\n" + asks:                    "GET /a \"/a\" \"\" h:1 2.0 0 true false false\nhost: h:1",
		"GET /a?b HTTP/1.1\r\nHost: h\r\n" + asks:                    "GET /a?b \"/a\" \"b\" h 2.0 0 true false false\nhost: h",
		"GET http://h:1/a HTTP/1.1\r\nHost: x\r\n" + asks:            "GET /a \"/a\" \"\" h:1 2.0 0 true false false\nhost: h:1",
		"GET http://h:1/a?b HTTP/1.1\r\nHost: x\r\n" + asks:          "GET /a?b \"/a\" \"b\" h:1 2.0 0 true false false\nhost: h:1",
		"GET http://h/a? HTTP/1.1\r\nHost: x\r\n" + asks:             "GET /a? \"/a\" \"\" h 2.0 0 true false false\nhost: h",
		"GET http://h HTTP/1.1\r\nHost: h\r\n" + asks:                "GET / \"/\" \"\" h 2.0 0 true false false\nhost: h",
		"GET http://h?b HTTP/1.1\r\nHost: h\r\n" + asks:              "GET /?b \"/\" \"b\" h 2.0 0 true false false\nhost: h",
		"OPTIONS * HTTP/1.1\r\nHost: h\r\n" + asks:                   "OPTIONS * \"*\" \"\" h 2.0 0 true false false\nhost: h",
		"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n" + asks: "POST / \"/\" \"\" h 2.0 0 true false false\nhost: h\ncontent-length: 0",
		"GET / HTTP/1.1\r\nX-A: 1\r\nHost: h\r\nKeep-Alive: 1\r\nProxy-Connection: 1\r\nCookie: a\r\nx-b: 2\r\nX-A: 3\r\n" + asks: "" +
			"GET / \"/\" \"\" h 2.0 0 true false false\nhost: h\nx-a: 1\nx-b: 2\nx-a: 3\ncookie: a",
		// Lists, and letters of either case.
		"GET / HTTP/1.1\r\nHost: h\r\nConnection: x, upgrade\r\nConnection: http2-SETTINGS\r\nupgrade: websocket, H2C\r\nhttp2-settings: AAMAAABk\r\n": "" +
			"GET / \"/\" \"\" h 2.0 0 true false false\nhost: h",
	} {
		k := f.talk(t)
		k.Send(request + "\r\n")
		k.WantUntil("Upgrade: h2c\r\n\r\n")
		k.Send(http2.ClientPreface)
		h2 := h2With(t, k.Conn)
		h2.Timeout = k.Timeout
		h2.Want("SETTINGS")
		h2.wantStatusAndBody(1, 200, want)
		h2.Framer.WriteSettings()
		h2.Want("SETTINGS ack")
		h2.WantIdle()
		k.Close()
	}
}

// An incomplete request for h2c, or one where h2c is not available, stays with HTTP/1.1.
func TestWhatIsNotUpgraded(t *testing.T) {
	t.Parallel()
	const head = "GET /a HTTP/1.1\r\nHost: h\r\n"
	http1 := server.Config{Protocols: speak((*http.Protocols).SetHTTP1)}
	for name, tc := range map[string]struct {
		cfg    server.Config
		fields string
	}{
		"no settings":                      {fields: "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"},
		"settings twice":                   {fields: "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\nHTTP2-Settings: AAMAAABk\r\n"},
		"invalid settings":                 {fields: "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAM\r\n"},
		"settings not listed":              {fields: "Connection: Upgrade\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n"},
		"upgrade not listed":               {fields: "Connection: HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n"},
		"a Unicode letter that folds to s": {fields: "Connection: Upgrade, HTTP2-\u017fettings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n"},
		"another protocol":                 {fields: "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2\r\nHTTP2-Settings: AAMAAABk\r\n"},
		"a name that begins with h2c":      {fields: "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c2\r\nHTTP2-Settings: AAMAAABk\r\n"},
		"a body":                           {fields: "Content-Length: 1\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n"},
		"a body in chunks":                 {fields: "Transfer-Encoding: chunked\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n"},
		"only HTTP/1 is spoken":            {http1, "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n"},
		"HTTP/2 is only over TLS":          {server.Config{Protocols: speak((*http.Protocols).SetHTTP1, (*http.Protocols).SetHTTP2)}, "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			tc.cfg.Handler = server.HandlerFunc(seen)
			k := start(t, tc.cfg).talk(t)
			k.Send(head + tc.fields + "\r\n")
			k.WantUntil("HTTP/1.1 200 OK\r\n")
			k.WantUntil("GET /a \"/a\" \"\" h 1.1 ")
		})
	}
}

// A CONNECT is not upgraded: over HTTP/2 it has no path (RFC 9113 §8.5), and its stream could not be a tunnel, since the
// upgrade ends the client's side of it.
func TestConnectIsNotUpgraded(t *testing.T) {
	k := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		w.Error(405, fmt.Sprintf("%s %q %d.%d", r.Method(), r.Path(), r.ProtoMajor(), r.ProtoMinor()))
	}).talk(t)
	k.Send("CONNECT h:1 HTTP/1.1\r\nHost: h:1\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n")
	k.Want("HTTP/1.1 405 Method Not Allowed\r\n")
	k.WantUntil("CONNECT \"\" 1.1\n")
}

// The write deadline of an earlier response does not apply to the connection of HTTP/2.
func TestUpgradeAfterADeadline(t *testing.T) {
	k := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		w.WriteText(fmt.Sprint(r.ProtoMajor()))
		if r.ProtoMajor() == 1 {
			w.Flush()
			w.SetWriteDeadline(time.Unix(1, 0))
		}
	}).talk(t)
	k.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	k.WantUntil("\r\n\r\n1")
	k.Send("GET / HTTP/1.1\r\nHost: h\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n")
	k.WantUntil("Upgrade: h2c\r\n\r\n")
	k.Send(http2.ClientPreface)
	h2 := h2With(t, k.Conn)
	h2.Timeout = k.Timeout
	h2.Want("SETTINGS")
	h2.wantStatusAndBody(1, 200, "2")
}
