package http3_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	peer "github.com/quic-go/quic-go/http3"

	"github.com/shockwave-go/shockwave/http3"
	"github.com/shockwave-go/shockwave/nethttp"
	"github.com/shockwave-go/shockwave/server"
	"github.com/shockwave-go/shockwave/websocket"
)

type key string

// serveNetHTTP serves s over HTTP/3 with a certificate.
func serveNetHTTP(t *testing.T, s *nethttp.Server) *rig {
	t.Helper()
	cert, _ := certificate()
	s.TLSConfig = &tls.Config{Certificates: []tls.Certificate{cert}}
	return serve(t, s)
}

// serve serves s, which has a certificate.
func serve(t *testing.T, s closableHost) *rig {
	t.Helper()
	return serveWith(t, s, http3.Config{})
}

// closableHost is a server that can be closed.
type closableHost interface {
	http3.Host
	Close() error
}

// serveWith is serve with settings of HTTP/3.
func serveWith(t *testing.T, s closableHost, cfg http3.Config) *rig {
	t.Helper()
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- http3.NewServer(s, cfg).Serve(pc, "", "") }()
	t.Cleanup(func() {
		s.Close()
		<-served
		pc.Close()
	})
	return &rig{T: t, addr: pc.LocalAddr().String(), log: new(lines)}
}

// A net/http handler sees a request over HTTP/3 as it sees one over HTTP/2.
func TestNetHTTP(t *testing.T) {
	s := &nethttp.Server{
		BaseContext: func(l net.Listener) context.Context {
			return context.WithValue(context.Background(), key("l"), l.Addr().Network())
		},
		ConnContext: func(ctx context.Context, nc net.Conn) context.Context {
			return context.WithValue(ctx, key("c"), nc.RemoteAddr().Network())
		},
	}
	s.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, hijacks := w.(http.Hijacker)
		_, flushes := w.(http.Flusher)
		local := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
		b, err := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %d %s %v %v %s %v %v %v %s %v %s", r.Proto, r.ProtoMajor, r.Host, r.TLS.Version == tls.VersionTLS13, r.TLS.HandshakeComplete && r.TLS.NegotiatedProtocol == "h3",
			local.Network(), r.Context().Value(key("l")), r.Context().Value(key("c")), hijacks, b, err, r.Header.Get("A"))
		if !flushes || http.NewResponseController(w).Flush() != nil || !strings.HasPrefix(r.RemoteAddr, "127.0.0.1:") {
			t.Error(r.RemoteAddr)
		}
		w.Header().Set(http.TrailerPrefix+"T", "v")
	})
	r := serveNetHTTP(t, s)
	c := r.client()
	req, _ := http.NewRequest("POST", "https://"+r.addr+"/", strings.NewReader("abc"))
	req.Header.Set("A", "b")
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	want := fmt.Sprintf("HTTP/3.0 3 %s true true udp udp udp false abc <nil> b", r.addr)
	if string(b) != want || err != nil || resp.Trailer.Get("T") != "v" {
		t.Errorf("%q, %v, %v; want %q", b, err, resp.Trailer, want)
	}
	if n := s.Stats(); n.Requests != 1 {
		t.Errorf("got %+v, want Requests 1", n)
	}
}

// A handler's context ends when the client cancels the request, and when the connection ends.
func TestRequestContext(t *testing.T) {
	began, ended := make(chan bool, 1), make(chan error, 1)
	r := serveNetHTTP(t, &nethttp.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began <- true
		select {
		case <-r.Context().Done():
			ended <- nil
		case <-time.After(10 * time.Second):
			ended <- context.DeadlineExceeded
		}
	})})
	for _, how := range []string{"request", "connection"} {
		c := r.client()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		req, _ := http.NewRequestWithContext(ctx, "GET", "https://"+r.addr+"/", nil)
		go c.Do(req)
		<-began
		if how == "request" {
			cancel()
		} else {
			c.Transport.(*peer.Transport).Close()
		}
		if err := <-ended; err != nil {
			t.Errorf("%s: %v", how, err)
		}
	}
}

// websocket.Accept works over an extended CONNECT, and so does code that only knows the upgrade of HTTP/1.1.
func TestWebSocket(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/accept", func(w http.ResponseWriter, r *http.Request) {
		c, err := websocket.Accept(w, r, websocket.Config{})
		if err != nil {
			t.Error(err)
			return
		}
		for {
			kind, m, err := c.ReadMessage()
			if err != nil {
				return
			}
			if err := c.WriteMessage(kind, m); err != nil {
				return
			}
		}
	})
	mux.HandleFunc("/byhand", func(w http.ResponseWriter, r *http.Request) {
		nc, rw, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer nc.Close()
		fmt.Fprintf(nc, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nX: %s\r\n\r\n", r.Header.Get("Upgrade"))
		io.Copy(nc, rw)
	})
	mux.HandleFunc("/refuse", func(w http.ResponseWriter, r *http.Request) { http.Error(w, "no", http.StatusForbidden) })
	s := &nethttp.Server{Handler: mux}
	r := serveNetHTTP(t, s)
	k := r.talk()
	k.uni(unhex(t, "00 0400"))
	connect := func(path string) string {
		return "[:method CONNECT|:protocol websocket|:scheme https|:authority a.test|:path " + path + "|sec-websocket-version 13|origin https://a.test]"
	}
	frame := "81 83 00000000 616263" // a text, masked
	if got := k.ask(unhex(t, connect("/refuse")), false); got != "403 no\n" {
		t.Errorf("got %q, want %q", got, "403 no\n")
	}
	for path, want := range map[string]string{"/accept": "\x81\x03abc", "/byhand": string(unhex(t, frame))} {
		st := k.open(unhex(t, connect(path)+"00 09"+frame), false)
		st.SetReadDeadline(time.Now().Add(10 * time.Second))
		br := bufio.NewReader(st)
		var all []byte
		for !strings.HasSuffix(string(all), want) {
			b, err := br.ReadByte()
			if err != nil {
				t.Fatalf("%s: got %q, %v", path, all, err)
			}
			all = append(all, b)
		}
		st.Close()
		if rest, err := io.ReadAll(br); err != nil {
			t.Errorf("%s: got %q, %v", path, rest, err)
		}
	}
	ctx, cancel := within(t)
	defer cancel()
	if err := s.Shutdown(ctx); err != nil {
		t.Error(err)
	}
}

// A handler sees the client's certificate, and a client without one is refused in the handshake.
func TestClientCertificate(t *testing.T) {
	cert, pool := certificate()
	s := server.NewServer(server.Config{
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{cert}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool},
		Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
			fmt.Fprintf(w, "%d", len(r.TLS().PeerCertificates))
		}),
	})
	r := serve(t, s)
	own := &peer.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, Certificates: []tls.Certificate{cert}}}
	defer own.Close()
	if got := r.get(&http.Client{Transport: own}, "/"); got != "1" {
		t.Errorf("%s certificates", got)
	}
	if resp, err := r.client().Get("https://" + r.addr + "/"); err == nil {
		resp.Body.Close()
		t.Error("a client without a certificate got a response, want none")
	}
}

// Shutdown neither waits for nor ends streams that handlers have taken over.
func TestShutdownLeavesTunnels(t *testing.T) {
	s := &nethttp.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		nc, rw, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		fmt.Fprint(nc, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")
		go func() {
			defer nc.Close()
			io.Copy(nc, rw)
		}()
	})}
	r := serveNetHTTP(t, s)
	k := r.talk()
	st := k.open(unhex(t, "[:method CONNECT|:protocol websocket|:scheme https|:authority a.test|:path /|sec-websocket-version 13]"), false)
	echo := func(text string) {
		t.Helper()
		st.Write(append([]byte{0, byte(len(text))}, text...))
		st.SetReadDeadline(time.Now().Add(10 * time.Second))
		var got []byte
		for b := make([]byte, 100); !strings.HasSuffix(string(got), text); {
			n, err := st.Read(b)
			if got = append(got, b[:n]...); err != nil {
				t.Fatalf("got %q, %v; want %q", got, err, text)
			}
		}
	}
	echo("before")
	ctx, cancel := within(t)
	defer cancel()
	if err := s.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}
	echo("behind")
	st.Close()
	if got := k.closed(); got != "close H3_NO_ERROR" {
		t.Errorf(`got %q, want "close H3_NO_ERROR"`, got)
	}
}
