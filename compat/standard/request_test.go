package standard

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/compat/internal/both"
)

// dump responds with all that a request says of itself.
func dump(w http.ResponseWriter, r *http.Request) {
	text, err := httputil.DumpRequest(r, true)
	fmt.Fprintf(w, "%q %v\n", text, err)
	fmt.Fprintf(w, "%s %d.%d %q %q %#v\n", r.Proto, r.ProtoMajor, r.ProtoMinor, r.Host, r.RequestURI, r.URL)
	fmt.Fprintln(w, r.Header, r.ContentLength, r.TransferEncoding, r.Close, r.Trailer, r.TLS != nil)
	fmt.Fprintln(w, r.UserAgent(), r.Referer(), r.Form, r.PostForm, r.MultipartForm, r.Response, r.Pattern)
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	fmt.Fprintln(w, host, err, r.Body != nil, r.GetBody != nil)

	// Handlers that pass a request on write it, or a clone of it.
	var b bytes.Buffer
	clone := r.Clone(r.Context())
	clone.Body = io.NopCloser(strings.NewReader("other"))
	fmt.Fprintf(w, "%v %q\n", clone.Write(&b), &b)
}

// Handlers see the same request on both servers.
func TestRequests(t *testing.T) {
	t.Parallel()
	both.Compare(t, both.With(http.HandlerFunc(dump)), func(t *testing.T, s *both.Site) (seen []both.Exchange) {
		for _, say := range []string{
			"GET / HTTP/1.1\r\nHost: example.com\r\n\r\n",
			"GET /a%2Fb/%20?q=%zz;x HTTP/1.1\r\nHost: EXAMPLE.com:80\r\nUser-Agent: me\r\nReferer: you\r\n\r\n",
			"GET http://other.example:81/p?q HTTP/1.1\r\nHost: example.com\r\n\r\n",
			"GET //double//slash HTTP/1.1\r\nHost: [::1]:80\r\n\r\n",
			"GET / HTTP/1.1\r\nhost:  example.com \r\nx-two: 1\r\nX-TWO: 2\r\nEmpty:\r\nodd_name: v\r\n\r\n",
			"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc",
			"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n",
			"PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTrailer: A, B\r\n\r\n3\r\nabc\r\n0\r\nA: 1\r\n\r\n",
			"brew /pot HTTP/1.1\r\nHost: x\r\nConnection: close, x-hop\r\n\r\n",
			"GET / HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\nCookie: a=b; c=d\r\nCookie: e=f\r\n\r\n",
			"OPTIONS / HTTP/1.1\r\nHost: \r\n\r\n",
		} {
			p := s.Dial(t)
			p.Say(say)
			x := p.Response("GET")
			if x.Status != 200 {
				t.Errorf("%s: %q: %v", s.Name, say, x)
			}
			p.Close()
			seen = append(seen, x)
		}
		return seen
	}, both.AnyFraming)
}

// Requests of HTTP/1.0 get responses by the rules of HTTP/1.0.
func TestRequestsOfHTTP10(t *testing.T) {
	t.Parallel()
	both.Compare(t, both.With(http.HandlerFunc(dump)), func(t *testing.T, s *both.Site) (seen []both.Exchange) {
		for _, say := range []string{
			"GET / HTTP/1.0\r\n\r\n",
			"GET / HTTP/1.0\r\nHost: x\r\nConnection: keep-alive\r\n\r\n",
			"POST / HTTP/1.0\r\nContent-Length: 3\r\n\r\nabc",
		} {
			p := s.Dial(t)
			p.Say(say)
			x := p.Response("GET")
			if x.Proto != "HTTP/1.0" || x.Status != 200 {
				t.Errorf("%s: %q: %v", s.Name, say, x)
			}
			seen = append(seen, x)
			p.Close()
		}
		return seen
	}, both.AnyFraming)
}
