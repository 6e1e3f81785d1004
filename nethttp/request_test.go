package nethttp_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/rpc"
	"strings"
	"testing"
)

// heads are requests from which net/http's server and ours must make the same http.Request.
var heads = []string{
	"GET / HTTP/1.1\r\nHost: a\r\n\r\n",
	"GET /a/b?c=d&e HTTP/1.1\r\nHost: a:80\r\n\r\n",
	"GET /a%20b%2Fc/?x=%20 HTTP/1.1\r\nHost: a\r\n\r\n",
	"GET /? HTTP/1.1\r\nHost: a\r\n\r\n",
	"GET //a//b/../c HTTP/1.1\r\nHost: a\r\n\r\n",
	"GET http://other.test:81/path?q HTTP/1.1\r\nHost: a\r\n\r\n",
	"GET http://other.test HTTP/1.1\r\nHost: other.test\r\n\r\n",
	"OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n",
	"GET http://a!$&'()*+,;=b:/?q HTTP/1.1\r\nHost: a\r\n\r\n",
	"GET HTTPS://[::1]:443 HTTP/1.1\r\nHost: a\r\n\r\n",
	"CONNECT [2001:db8::1]:443 HTTP/1.1\r\nHost: a\r\n\r\n",
	"CONNECT other.test:443 HTTP/1.1\r\nHost: other.test:443\r\n\r\n",
	"HEAD / HTTP/1.1\r\nHost: a\r\n\r\n",
	"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n",
	"PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc",
	"PATCH / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0\r\nx-t: 1\r\nX-T: 2\r\n\r\n",
	"DELETE / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTrailer: x-t, X-U\r\nTrailer: x-v\r\n\r\n0\r\nX-U: u\r\n\r\n",
	"OPTIONS / HTTP/1.1\r\nHost: a\r\nTrailer: X-Not-Chunked\r\n\r\n",
	"M-SEARCH / HTTP/1.1\r\nHost: a\r\n\r\n",
	"get / HTTP/1.1\r\nHost: a\r\n\r\n",
	"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
	"GET / HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, x\r\nX: y\r\n\r\n",
	"GET / HTTP/1.1\r\nHost: a\r\nAccept: one\r\naccept: two\r\nACCEPT: three\r\nX-Empty:\r\nX-Tabs: \t v \t\r\n\r\n",
	"GET / HTTP/1.1\r\nHost: a\r\nsec-ch-ua-mobile: ?0\r\nx_under_score: 1\r\nETAG: e\r\nweird!#$%&'*+.^`|~name: w\r\nX-Hi: \xff\xfe\r\n\r\n",
	"GET / HTTP/1.1\r\nHost: a\r\nPragma: no-cache\r\nCache-Control: max-age=0\r\n\r\n",
	"GET / HTTP/1.1\r\nHost:\r\n\r\n",
	"GET / HTTP/1.0\r\n\r\n",
	"GET / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n",
	"POST / HTTP/1.0\r\nContent-Length: 3\r\n\r\nabc",
	"GET / HTTP/1.1\r\nHost: a\r\nCookie: a=b; c=d\r\nCookie: e=f\r\n" + strings.Repeat("X-Many: y\r\n", 30) + "\r\n",
}

// dump writes every part of r that a client can choose.
func dump(r *http.Request) []byte {
	empty := r.Body == http.NoBody
	announced := r.Trailer.Clone()
	b, err := io.ReadAll(r.Body)
	text, jsonErr := json.MarshalIndent(map[string]any{
		"Method": r.Method, "URL": r.URL, "Proto": r.Proto, "Major": r.ProtoMajor, "Minor": r.ProtoMinor,
		"Header": r.Header, "ContentLength": r.ContentLength, "TransferEncoding": r.TransferEncoding, "Close": r.Close,
		"Host": r.Host, "RequestURI": r.RequestURI, "NoBody": empty, "Body": string(b), "Err": err,
		"Announced": announced, "Trailer": r.Trailer, "TLS": r.TLS != nil, "Cookies": r.Cookies(), "Pattern": r.Pattern,
	}, "", " ")
	if jsonErr != nil {
		panic(jsonErr)
	}
	return text
}

func TestRequestsAreNetHTTPs(t *testing.T) {
	for _, head := range heads {
		line, _, _ := strings.Cut(head, "\r\n")
		method, _, _ := strings.Cut(line, " ")
		t.Run(line, func(t *testing.T) {
			got := make(chan string, 1)
			configure := func() *http.Server {
				return &http.Server{DisableGeneralOptionsHandler: true, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					got <- string(dump(r))
				})}
			}
			var all []string
			withBoth(t, configure, func(t *testing.T, addr string) {
				p := dial(t, addr)
				p.say(head)
				if answer := p.answer(method); !strings.Contains(answer, " 200 OK\n") {
					t.Fatalf("answer:\n%s", answer)
				}
				all = append(all, <-got)
			})
			if len(all) == 2 && all[0] != all[1] {
				t.Errorf("net/http:\n%s\nours:\n%s", all[0], all[1])
			}
		})
	}
}

// net/rpc works over its CONNECT to a path.
func TestRPC(t *testing.T) {
	rpcServer := rpc.NewServer()
	if err := rpcServer.RegisterName("Text", new(text)); err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle(rpc.DefaultRPCPath, rpcServer)
	onBoth(t, mux, func(t *testing.T, addr string) {
		c, err := rpc.DialHTTP("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		var upper string
		if err := c.Call("Text.Upper", "shock", &upper); err != nil || upper != "SHOCK" {
			t.Errorf("%q, %v", upper, err)
		}
	})
	onBoth(t, mux, func(t *testing.T, addr string) {
		p := dial(t, addr)
		for _, part := range []string{"CONNECT /_go", "RPC_ HTTP/1.0\n", "\n"} {
			p.say(part)
		}
		if line, err := p.in.ReadString('\n'); line != "HTTP/1.0 200 Connected to Go RPC\n" {
			t.Errorf("%q, %v", line, err)
		}
	})
}

// text is the service that TestRPC calls.
type text struct{}

func (*text) Upper(s string, upper *string) error { *upper = strings.ToUpper(s); return nil }

// A CONNECT to a path reaches the handler, and the bytes after it are not read as a request.
func TestConnectToAPath(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, r.URL.Path+" "+r.URL.RawQuery+" "+r.RequestURI+" "+r.Host, http.StatusForbidden)
	})
	for _, opening := range []string{"CONNECT /a?b HTTP/1.0\n\n", "CONNECT /a?b HTTP/1.1\r\nHost: c\r\n\r\n"} {
		onBoth(t, h, func(t *testing.T, addr string) {
			p := dial(t, addr)
			p.say(opening + "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n")
			got := p.answer("CONNECT")
			if want := "/a b /a?b"; !strings.Contains(got, want) || !strings.Contains(got, " 403 ") {
				t.Errorf("%q:\n%s", opening, got)
			}
			if s := t.Name(); strings.Contains(s, "/ours") {
				if got := p.answer("GET"); got != "closed\n" {
					t.Errorf("what follows got a response:\n%s", got)
				}
			}
		})
	}
}
