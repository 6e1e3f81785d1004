package websocket

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"
)

// tripper is a RoundTripper that is not an *http.Transport.
type tripper func(r *http.Request) (*http.Response, error)

func (f tripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// clientsOf returns clients for s, one for each of the two ways to connect.
func clientsOf(s *httptest.Server) map[string]*http.Client {
	own := s.Client()
	return map[string]*http.Client{
		"transport": own,
		"wrapped": {Transport: tripper(func(r *http.Request) (*http.Response, error) {
			r = r.Clone(r.Context())
			r.Header.Set("Authorization", "token")
			return own.Transport.RoundTrip(r)
		})},
	}
}

// A connection that an http.Client has opened works as any other.
func TestDialClient(t *testing.T) {
	for _, secure := range []bool{false, true} {
		s, at := accepting(t, Config{Compression: ContextTakeover, Subprotocols: []string{"b", "a"}}, secure, nil)
		for name, client := range clientsOf(s) {
			ctx, cancel := context.WithCancel(t.Context())
			cfg := Config{HTTPClient: client, Compression: ContextTakeover, Subprotocols: []string{"a", "b"}}
			cfg.Header = http.Header{"Cookie": {"a=b"}}
			c, resp, err := Dial(ctx, at, cfg)
			cancel()
			if err != nil {
				t.Fatal(name, err)
			}
			if c.Subprotocol() != "b" || !c.Compressed() || secure != (resp.TLS != nil) {
				t.Errorf("%s: subprotocol %q, compressed %v, TLS %v", name, c.Subprotocol(), c.Compressed(), resp.TLS)
			}
			if told := resp.Header.Get("X-Told"); told != "a=b" && told != "a=b;token" {
				t.Errorf("%s: told %q", name, told)
			}
			if _, below := c.NetConn().(*transportConn); below != (name == "transport") {
				t.Errorf("%s: on a %T", name, c.NetConn())
			}
			c.SetReadDeadline(time.Now().Add(time.Millisecond))
			if _, _, err := c.ReadMessage(); !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("%s: %v", name, err)
			}
			c.WriteMessage(TextMessage, []byte("there"))
			wantMessage(t, c, "there")
			if err := c.Close(CloseNormal, "bye"); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			c, _ = there(t, at, cfg)
			c.CloseNow()
		}
	}
}

// A peer that leaves ends a connection that an http.Client has opened.
func TestDialClientGone(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, err := Accept(w, r, Config{}); err == nil {
			c.ReadMessage()
			c.CloseNow()
		}
	}))
	defer s.Close()
	clients := clientsOf(s)
	clients["default"] = new(http.Client)
	for name, client := range clients {
		c, _, err := Dial(soon(t), s.URL, Config{HTTPClient: client})
		if err != nil {
			t.Fatal(name, err)
		}
		if _, below := c.NetConn().(*transportConn); below != (name != "wrapped") {
			t.Errorf("%s: on a %T", name, c.NetConn())
		}
		c.WriteMessage(TextMessage, nil)
		c.SetReadDeadline(time.Now().Add(patience))
		if _, _, err := c.ReadMessage(); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A refusal is reported with the server's text when an http.Client makes the handshake.
func TestDialClientRefused(t *testing.T) {
	t.Parallel()
	plain, _ := accepting(t, Config{}, false, nil)
	s, at := accepting(t, Config{}, true, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/down":
			http.Redirect(w, r, strings.Replace(plain.URL, "http", "ws", 1), http.StatusFound)
		case "/round":
			w.Header().Set("Location", "wss://"+r.Host+"/round")
			w.WriteHeader(http.StatusFound)
		case "/busy":
			http.Error(w, strings.Repeat("busy ", 1000), http.StatusServiceUnavailable)
		case "/never":
			<-r.Context().Done()
			panic(http.ErrAbortHandler) // to return would be an answer, which may overtake the client's end
		}
	})
	client := s.Client()
	last := *client
	last.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	brief := *client
	brief.Timeout = 100 * time.Millisecond
	closed := &http.Client{Transport: tripper(func(r *http.Request) (*http.Response, error) {
		resp, err := client.Transport.RoundTrip(r)
		if err == nil {
			resp.Body = struct{ io.ReadCloser }{resp.Body}
		}
		return resp, err
	})}
	for _, tc := range []struct {
		path   string
		client *http.Client
		status int   // of the HandshakeError
		err    error // or this
		said   int
	}{
		{"/down", client, 0, errInsecure, 0},
		{"/round", client, 0, errRedirects, 0},
		{"/round", &last, 302, nil, 0},
		{"/busy", client, 503, nil, maxRefusalBody},
		{"/never", &brief, 0, context.DeadlineExceeded, 0},
		{"/", closed, 101, nil, 0},
	} {
		c, resp, err := Dial(soon(t), at+tc.path, Config{HTTPClient: tc.client})
		he, _ := errors.AsType[*HandshakeError](err)
		if c != nil || tc.err != nil && !errors.Is(err, tc.err) || tc.status != 0 && (he == nil || he.Status != tc.status) {
			t.Errorf("%s: got %v, %v", tc.path, c, err)
		}
		if tc.err != nil && !strings.Contains(err.Error(), at+tc.path) {
			t.Errorf("%s: the URL is not named: %v", tc.path, err)
		}
		if tc.status == 503 {
			if said, err := io.ReadAll(resp.Body); len(said) != tc.said || err != nil {
				t.Errorf("%s: got %d bytes, %v", tc.path, len(said), err)
			}
		}
	}
	for name, header := range map[string]http.Header{"a Host": {"Host": {"a", "b"}}, "a key": {"Sec-Websocket-Key": {"x"}}} {
		if c, resp, err := Dial(soon(t), at, Config{HTTPClient: client, Header: header}); c != nil || resp != nil || err == nil {
			t.Errorf("%s: got %v, %v, %v", name, c, resp, err)
		}
	}
}

// A Jar adds its cookies to the request and stores those of every response.
func TestJar(t *testing.T) {
	s, at := accepting(t, Config{}, true, func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: strings.Trim(r.URL.Path, "/"), Value: "1"})
		if r.URL.Path == "/sent" {
			http.Redirect(w, r, "/", http.StatusFound)
			return
		}
		w.WriteHeader(http.StatusForbidden)
	})
	home, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	for name, cfg := range map[string]Config{
		"own":    {TLSConfig: trust(s), Redirects: 1},
		"client": {HTTPClient: s.Client()},
	} {
		jar, _ := cookiejar.New(nil)
		jar.SetCookies(home, []*http.Cookie{{Name: "login", Value: "me"}})
		cfg.Jar = jar
		if _, _, err := Dial(soon(t), at+"/refused", cfg); err == nil {
			t.Fatal("Dial: got no error, want a refusal")
		}
		cfg.Header = http.Header{"Cookie": {"a=b", "c=d"}}
		c, resp, err := Dial(soon(t), at+"/sent", cfg)
		if err != nil {
			t.Fatal(err)
		}
		c.CloseNow()
		told := resp.Header.Get("X-Told")
		for _, want := range []string{"a=b", "c=d", "login=me", "refused=1", "sent=1"} {
			if !strings.Contains(told, want) {
				t.Errorf("%s: told %q", name, told)
			}
		}
		if n := len(jar.Cookies(home)); n != 3 {
			t.Errorf("%s: the jar has %d cookies", name, n)
		}
	}
}
