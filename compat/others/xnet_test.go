//lint:file-ignore SA1019 h2c and what it needs are deprecated, and still in many programs

package others

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/h2c"
	"golang.org/x/net/webdav"

	"github.com/shockwave-go/shockwave/compat/internal/both"
	"github.com/shockwave-go/shockwave/nethttp"
)

// x/net's WebDAV handler behaves the same on both servers.
func TestWebDAV(t *testing.T) {
	t.Parallel()
	lock := `<?xml version="1.0"?><D:lockinfo xmlns:D="DAV:"><D:lockscope><D:exclusive/></D:lockscope>` +
		`<D:locktype><D:write/></D:locktype></D:lockinfo>`
	find := `<?xml version="1.0"?><D:propfind xmlns:D="DAV:"><D:prop><D:getcontentlength/></D:prop></D:propfind>`
	locks := sameLocks(10)
	both.SameServer(t, func() *http.Server {
		h := &webdav.Handler{FileSystem: webdav.NewMemFS(), LockSystem: locks[0]}
		locks = locks[1:]
		return &http.Server{Handler: h}
	}, []both.Request{
		both.Send(200, "OPTIONS", "/"),
		both.Send(201, "MKCOL", "/dir"),
		{Status: 201, Method: "PUT", Target: "/dir/file.txt", Body: "some text"},
		both.Get(200, "/dir/file.txt"),
		both.Get(206, "/dir/file.txt", "Range", "bytes=5-"),
		{Status: 207, Method: "PROPFIND", Target: "/dir", Body: find, Fields: []string{"Depth", "1"}},
		both.Send(201, "COPY", "/dir/file.txt", "Destination", "http://example.com/copy.txt"),
		both.Send(201, "MOVE", "/copy.txt", "Destination", "http://example.com/moved.txt"),
		{Status: 201, Method: "LOCK", Target: "/new.txt", Body: lock, Fields: []string{"Timeout", "Second-60"}},
		both.Send(423, "DELETE", "/new.txt"),
		both.Send(204, "DELETE", "/dir"),
		both.Get(404, "/dir/file.txt"),
	}, both.Without("Etag", "Last-Modified", "Lock-Token"))
}

// sameLocks returns n LockSystems that give out the same tokens, which are numbers from the time in seconds on.
func sameLocks(n int) []webdav.LockSystem {
	for {
		var all []webdav.LockSystem
		second := time.Now().Unix()
		for range n {
			all = append(all, webdav.NewMemLS())
		}
		if time.Now().Unix() == second {
			return all
		}
	}
}

// x/net's h2c handler serves HTTP/2 on a connection that it hijacks.
func TestH2C(t *testing.T) {
	t.Parallel()
	h := h2c.NewHandler(hello, &http2.Server{})
	both.Same(t, h, []both.Request{both.Get(200, "/"), both.Post(200, "/", "x")})
	both.Run(t, h, func(t *testing.T, s *both.Site) {
		p := s.Dial(t)
		p.Say("GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n")
		if line := p.Line(); line != "HTTP/1.1 101 Switching Protocols" {
			t.Errorf(`%s: got %q, want "HTTP/1.1 101 Switching Protocols"`, s.Name, line)
		}
		p.Close()

		// Without an upgrade a client begins with a preface that looks like a request of version 2.0, and the handler
		// gets to see it.
		tr := &http2.Transport{AllowHTTP: true, DialTLSContext: func(context.Context, string, string, *tls.Config) (net.Conn, error) {
			return net.Dial("tcp", s.Addr)
		}}
		defer tr.CloseIdleConnections()
		for range 2 {
			res, err := (&http.Client{Transport: tr}).Get("http://" + s.Addr + "/")
			if err != nil {
				t.Fatalf("%s: %v", s.Name, err)
			}
			if body, err := io.ReadAll(res.Body); res.ProtoMajor != 2 || string(body) != "hello\n" || err != nil {
				t.Errorf("%s: got %s, %q, %v", s.Name, res.Proto, body, err)
			}
			res.Body.Close()
		}
	})
}

// x/net's server speaks HTTP/2 over TLS on the connections that it is given for "h2".
func TestConfigureServer(t *testing.T) {
	t.Parallel()
	cert := httptest.NewTLSServer(nil)
	defer cert.Close()
	for _, ours := range []bool{false, true} {
		std := &http.Server{Handler: hello, TLSConfig: &tls.Config{Certificates: cert.TLS.Certificates}}
		if err := http2.ConfigureServer(std, nil); err != nil {
			t.Fatal(err)
		}
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		serve, shutdown := std.ServeTLS, std.Shutdown
		if ours {
			s := nethttp.FromServer(std)
			serve, shutdown = s.ServeTLS, s.Shutdown
		}
		ended := make(chan error, 1)
		go func() { ended <- serve(l, "", "") }()
		for _, version := range []string{"HTTP/2.0", "HTTP/1.1", "HTTP/2.0"} {
			tr := &http.Transport{ForceAttemptHTTP2: version == "HTTP/2.0", TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
			res, err := (&http.Client{Transport: tr}).Get("https://" + l.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			if body, err := io.ReadAll(res.Body); res.Proto != version || string(body) != "hello\n" || err != nil {
				t.Errorf("ours %v: %s %q, %v; want %s", ours, res.Proto, body, err, version)
			}
			res.Body.Close()
			tr.CloseIdleConnections()
		}
		if err := shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		if err := <-ended; err != http.ErrServerClosed {
			t.Errorf("ours %v: got %v, want %v", ours, err, http.ErrServerClosed)
		}
	}
}
