//lint:file-ignore SA1019 h2c and what it needs are deprecated, and still in many programs

package others

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/h2c"
	"golang.org/x/net/webdav"

	"github.com/shockwave-go/shockwave/compat/internal/both"
)

func TestWebDAV(t *testing.T) {
	t.Parallel()
	lock := `<?xml version="1.0"?><D:lockinfo xmlns:D="DAV:"><D:lockscope><D:exclusive/></D:lockscope>` +
		`<D:locktype><D:write/></D:locktype></D:lockinfo>`
	find := `<?xml version="1.0"?><D:propfind xmlns:D="DAV:"><D:prop><D:getcontentlength/></D:prop></D:propfind>`
	both.SameServer(t, func() *http.Server {
		return &http.Server{Handler: &webdav.Handler{FileSystem: webdav.NewMemFS(), LockSystem: webdav.NewMemLS()}}
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

// h2c serves HTTP/2 itself on a connection that it hijacks.
func TestH2C(t *testing.T) {
	t.Parallel()
	h := h2c.NewHandler(hello, &http2.Server{})
	both.Same(t, h, []both.Request{both.Get(200, "/"), both.Post(200, "/", "x")})
	both.Run(t, h, func(t *testing.T, s *both.Site) {
		p := s.Dial(t)
		p.Say("GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n")
		if line := p.Line(); line != "HTTP/1.1 101 Switching Protocols" {
			t.Errorf("%s: %q", s.Name, line)
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
				t.Errorf("%s: %s %q, %v", s.Name, res.Proto, body, err)
			}
			res.Body.Close()
		}
	})
}
