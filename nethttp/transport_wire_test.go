package nethttp_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/nethttp"
)

// tracedConn returns req with a trace that notes its connection.
func tracedConn(req *http.Request, conns *[]string) *http.Request {
	return req.WithContext(httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{
		GotConn: func(i httptrace.GotConnInfo) { *conns = append(*conns, i.Conn.LocalAddr().String()) },
	}))
}

// ways runs test with each way in which a Transport gets its connections: a socket of its own, or a function that returns
// a connection with few methods.
func ways(t *testing.T, test func(t *testing.T, fresh func() *nethttp.Transport)) {
	for name, dial := range map[string]func(network, addr string) (net.Conn, error){"own": nil, "Dial": net.Dial, "guest": dialGuest, "bare": dialBare} {
		t.Run(name, func(t *testing.T) {
			test(t, func() *nethttp.Transport {
				tr := &nethttp.Transport{Dial: dial}
				t.Cleanup(func() { tr.Close() })
				return tr
			})
		})
	}
}

// wakes reports whether a Read can be ended without closing the connection in this test of ways. Connections where it
// cannot are not kept.
func wakes(t *testing.T) bool { return !strings.HasSuffix(t.Name(), "/bare") }

// guest hides the type of a connection.
type guest struct{ net.Conn }

func dialGuest(network, addr string) (net.Conn, error) {
	nc, err := net.Dial(network, addr)
	return guest{nc}, err
}

// bare is a connection that can read, write and close, and has addresses, and nothing else.
type bare struct {
	net.Conn // nil
	below    net.Conn
}

func (b bare) Read(p []byte) (int, error)  { return b.below.Read(p) }
func (b bare) Write(p []byte) (int, error) { return b.below.Write(p) }
func (b bare) Close() error                { return b.below.Close() }
func (b bare) LocalAddr() net.Addr         { return b.below.LocalAddr() }

func dialBare(network, addr string) (net.Conn, error) {
	nc, err := net.Dial(network, addr)
	return bare{below: nc}, err
}

// bodyOf is a request's body.
func bodyOf(all []string) io.Reader {
	switch len(all) {
	case 0:
		return nil
	case 1:
		return strings.NewReader(all[0])
	}
	var readers []io.Reader
	for _, piece := range all {
		readers = append(readers, strings.NewReader(piece))
	}
	return io.MultiReader(readers...)
}

const noBody = "HTTP/1.1 204 No Content\r\n\r\n"

// Requests of HTTP/1.1 are written byte for byte as expected.
func TestTransportWrites(t *testing.T) {
	for name, tc := range map[string]struct {
		method, path string
		edit         func(r *http.Request)
		body         []string // its pieces, of which one is in memory
		want         string
	}{
		"GET":       {"GET", "/a%2fb?c", nil, nil, "GET /a%2fb?c HTTP/1.1\r\nHost: HOST\r\nUser-Agent: Go-http-client/1.1\r\nAccept-Encoding: gzip\r\n\r\n"},
		"no method": {"GET", "/", func(r *http.Request) { r.Method = "" }, nil, "GET / HTTP/1.1\r\nHost: HOST\r\nUser-Agent: Go-http-client/1.1\r\nAccept-Encoding: gzip\r\n\r\n"},
		"order": {"GET", "/", func(r *http.Request) {
			r.Header = http.Header{"Z": {"1", "2"}, "A": {" x\t"}, "lower": {""}, "Host": {"no"}, "Content-Length": {"9"}, "User-Agent": {"me", "you"}}
			r.Host = "example.com"
		}, nil, "GET / HTTP/1.1\r\nHost: example.com\r\nUser-Agent: me\r\nA: x\r\nZ: 1\r\nZ: 2\r\nlower: \r\nAccept-Encoding: gzip\r\n\r\n"},
		"no agent, no gzip": {"HEAD", "/", func(r *http.Request) { r.Header["User-Agent"] = nil }, nil, "HEAD / HTTP/1.1\r\nHost: HOST\r\n\r\n"},
		"range":             {"GET", "/", func(r *http.Request) { r.Header.Set("Range", "bytes=1-") }, nil, "GET / HTTP/1.1\r\nHost: HOST\r\nUser-Agent: Go-http-client/1.1\r\nRange: bytes=1-\r\n\r\n"},
		"close": {"GET", "/", func(r *http.Request) { r.Close = true }, nil,
			"GET / HTTP/1.1\r\nHost: HOST\r\nUser-Agent: Go-http-client/1.1\r\nConnection: close\r\nAccept-Encoding: gzip\r\n\r\n"},
		"close twice": {"GET", "/", func(r *http.Request) { r.Close = true; r.Header.Set("Connection", "close") }, nil,
			"GET / HTTP/1.1\r\nHost: HOST\r\nUser-Agent: Go-http-client/1.1\r\nConnection: close\r\nAccept-Encoding: gzip\r\n\r\n"},
		"no host": {"GET", "/", func(r *http.Request) { r.Host = "a\r\nX: y" }, nil, "GET / HTTP/1.1\r\nHost: \r\nUser-Agent: Go-http-client/1.1\r\nAccept-Encoding: gzip\r\n\r\n"},
		"zone":    {"GET", "/", func(r *http.Request) { r.Host = "[fe80::1%25en0]:80" }, nil, "GET / HTTP/1.1\r\nHost: [fe80::1]:80\r\nUser-Agent: Go-http-client/1.1\r\nAccept-Encoding: gzip\r\n\r\n"},
		"star":    {"OPTIONS", "*", func(r *http.Request) { r.URL.Path = "*" }, nil, "OPTIONS * HTTP/1.1\r\nHost: HOST\r\nUser-Agent: Go-http-client/1.1\r\nAccept-Encoding: gzip\r\n\r\n"},
		"opaque":  {"GET", "/", func(r *http.Request) { r.URL.Opaque = "/a b\\c" }, nil, ""},
		"opaque, no blank": {"GET", "/", func(r *http.Request) { r.URL.Opaque = "/a\\c" }, nil,
			"GET /a\\c HTTP/1.1\r\nHost: HOST\r\nUser-Agent: Go-http-client/1.1\r\nAccept-Encoding: gzip\r\n\r\n"},
		"empty POST": {"POST", "/", nil, nil, "POST / HTTP/1.1\r\nHost: HOST\r\nUser-Agent: Go-http-client/1.1\r\nContent-Length: 0\r\nAccept-Encoding: gzip\r\n\r\n"},
		"in memory": {"POST", "/", nil, []string{"body"},
			"POST / HTTP/1.1\r\nHost: HOST\r\nUser-Agent: Go-http-client/1.1\r\nContent-Length: 4\r\nAccept-Encoding: gzip\r\n\r\nbody"},
		"unknown length": {"PUT", "/", nil, []string{"body", ""},
			"PUT / HTTP/1.1\r\nHost: HOST\r\nUser-Agent: Go-http-client/1.1\r\nTransfer-Encoding: chunked\r\nAccept-Encoding: gzip\r\n\r\n4\r\nbody\r\n0\r\n\r\n"},
		"known length": {"PUT", "/", func(r *http.Request) { r.ContentLength = 4 }, []string{"bo", "dy"},
			"PUT / HTTP/1.1\r\nHost: HOST\r\nUser-Agent: Go-http-client/1.1\r\nContent-Length: 4\r\nAccept-Encoding: gzip\r\n\r\nbody"},
		"chunked in memory": {"PUT", "/", func(r *http.Request) { r.TransferEncoding = []string{"chunked"} }, []string{"body"},
			"PUT / HTTP/1.1\r\nHost: HOST\r\nUser-Agent: Go-http-client/1.1\r\nTransfer-Encoding: chunked\r\nAccept-Encoding: gzip\r\n\r\n4\r\nbody\r\n0\r\n\r\n"},
		"GET that turns out to be empty": {"GET", "/", nil, []string{"", ""},
			"GET / HTTP/1.1\r\nHost: HOST\r\nUser-Agent: Go-http-client/1.1\r\nAccept-Encoding: gzip\r\n\r\n"},
		"GET that does not": {"GET", "/", nil, []string{"body", ""},
			"GET / HTTP/1.1\r\nHost: HOST\r\nUser-Agent: Go-http-client/1.1\r\nTransfer-Encoding: chunked\r\nAccept-Encoding: gzip\r\n\r\n1\r\nb\r\n3\r\nody\r\n0\r\n\r\n"},
		"identity": {"DELETE", "/", func(r *http.Request) { r.TransferEncoding = []string{"identity"} }, nil,
			"DELETE / HTTP/1.1\r\nHost: HOST\r\nUser-Agent: Go-http-client/1.1\r\nContent-Length: 0\r\nAccept-Encoding: gzip\r\n\r\n"},
		"trailers": {"POST", "/", func(r *http.Request) { r.Trailer = http.Header{"Sum": {"1"}, "A": nil} }, []string{"body", ""},
			"POST / HTTP/1.1\r\nHost: HOST\r\nUser-Agent: Go-http-client/1.1\r\nTransfer-Encoding: chunked\r\nTrailer: A,Sum\r\nAccept-Encoding: gzip\r\n\r\n4\r\nbody\r\n0\r\nSum: 1\r\n\r\n"},
		"CONNECT":           {"CONNECT", "", func(r *http.Request) { r.URL.Path = "" }, nil, "CONNECT HOST HTTP/1.1\r\nHost: HOST\r\nUser-Agent: Go-http-client/1.1\r\nAccept-Encoding: gzip\r\n\r\n"},
		"CONNECT to a path": {"CONNECT", "/_goRPC_", nil, nil, "CONNECT /_goRPC_ HTTP/1.1\r\nHost: HOST\r\nUser-Agent: Go-http-client/1.1\r\nAccept-Encoding: gzip\r\n\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			ways(t, func(t *testing.T, fresh func() *nethttp.Transport) {
				addr := speak(t, func(w *wire) {
					if tc.want != "" {
						w.want(strings.ReplaceAll(tc.want, "HOST", w.nc.LocalAddr().String()))
					}
					w.send(noBody)
					w.end()
				})
				req, err := http.NewRequestWithContext(t.Context(), tc.method, "http://"+addr+strings.TrimSuffix(tc.path, "*"), bodyOf(tc.body))
				if err != nil {
					t.Fatal(err)
				}
				if tc.edit != nil {
					tc.edit(req)
				}
				resp, err := fresh().RoundTrip(req)
				if (err != nil) != (tc.want == "") {
					t.Fatalf("got %v", err)
				}
				if err == nil {
					resp.Body.Close()
				}
			})
		})
	}
}

// answer is the expected response.
type answer struct {
	status, proto string
	length        int64
	header        string // its fields, sorted
	coding        bool   // TransferEncoding is chunked
	closes        bool
	body, trailer string
	err           string // a part of the error of reading the body
}

// Each kind of response gives the expected http.Response and body.
func TestTransportReads(t *testing.T) {
	for name, tc := range map[string]struct {
		method, wire string
		want         answer
	}{
		"length":            {"GET", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", answer{"200 OK", "HTTP/1.1", 2, "Content-Length:2", false, false, "ok", "", ""}},
		"own reason phrase": {"GET", "HTTP/1.1 299 All Is Well\r\nContent-Length: 0\r\n\r\n", answer{"299 All Is Well", "HTTP/1.1", 0, "Content-Length:0", false, false, "", "", ""}},
		"another case":      {"GET", "HTTP/1.1 200 Ok\r\nContent-Length: 0\r\n\r\n", answer{"200 Ok", "HTTP/1.1", 0, "Content-Length:0", false, false, "", "", ""}},
		"no reason phrase":  {"GET", "HTTP/1.1 404\r\nContent-Length: 0\r\n\r\n", answer{"404", "HTTP/1.1", 0, "Content-Length:0", false, false, "", "", ""}},
		"204":               {"GET", noBody, answer{"204 No Content", "HTTP/1.1", 0, "", false, false, "", "", ""}},
		"304":               {"GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", answer{"304 Not Modified", "HTTP/1.1", 0, "Content-Length:9", false, false, "", "", ""}},
		"HEAD":              {"HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", answer{"200 OK", "HTTP/1.1", 9, "Content-Length:9", false, false, "", "", ""}},
		"HEAD, nothing":     {"HEAD", "HTTP/1.1 200 OK\r\n\r\n", answer{"200 OK", "HTTP/1.1", -1, "", false, false, "", "", ""}},
		"chunked": {"GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\nok\r\n0\r\n\r\n",
			answer{"200 OK", "HTTP/1.1", -1, "", true, false, "ok", "", ""}},
		"trailers": {"GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: A, b,content-length\r\n\r\n2\r\nok\r\n0\r\nA: 1\r\nC: 2\r\n\r\n",
			answer{"200 OK", "HTTP/1.1", -1, "", true, false, "ok", "A:1 B: C:2", ""}},
		"until the end": {"GET", "HTTP/1.1 200 OK\r\nPragma: no-cache\r\n\r\nok", answer{"200 OK", "HTTP/1.1", -1, "Cache-Control:no-cache Pragma:no-cache", false, true, "ok", "", ""}},
		"close":         {"GET", "HTTP/1.1 200 OK\r\nConnection: Close\r\nContent-Length: 2\r\n\r\nok", answer{"200 OK", "HTTP/1.1", 2, "Content-Length:2", false, true, "ok", "", ""}},
		"1.0":           {"GET", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", answer{"200 OK", "HTTP/1.0", 2, "Content-Length:2", false, true, "ok", "", ""}},
		"1.0, kept": {"GET", "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok",
			answer{"200 OK", "HTTP/1.0", 2, "Connection:keep-alive Content-Length:2", false, false, "ok", "", ""}},
		"too short":  {"GET", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok", answer{"200 OK", "HTTP/1.1", 3, "Content-Length:3", false, false, "ok", "", "unexpected EOF"}},
		"cut chunk":  {"GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nok", answer{"200 OK", "HTTP/1.1", -1, "", true, false, "ok", "", "unexpected EOF"}},
		"same twice": {"GET", "HTTP/1.1 200 OK\r\nA: 1\r\nContent-Length: 0\r\na: 2\r\n\r\n", answer{"200 OK", "HTTP/1.1", 0, "A:1,2 Content-Length:0", false, false, "", "", ""}},
		"1xx": {"GET", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\n" + noBody,
			answer{"204 No Content", "HTTP/1.1", 0, "", false, false, "", "", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			ways(t, func(t *testing.T, fresh func() *nethttp.Transport) {
				addr := speak(t, func(w *wire) {
					w.head()
					for i := range len(tc.wire) { // in two writes, split anywhere
						if i%7 == w.n%7 {
							w.send(tc.wire[:i])
							w.send(tc.wire[i:])
							return
						}
					}
				})
				req, _ := http.NewRequestWithContext(t.Context(), tc.method, "http://"+addr, nil)
				resp, err := fresh().RoundTrip(req)
				if err != nil {
					t.Fatal(err)
				}
				announcedFirst := len(resp.Trailer) > 0
				b, err := io.ReadAll(resp.Body)
				resp.Body.Close()
				got := answer{resp.Status, resp.Proto, resp.ContentLength, fields(resp.Header), len(resp.TransferEncoding) > 0, resp.Close, string(b), fields(resp.Trailer), ""}
				if err != nil {
					got.err = err.Error()
				}
				if got != tc.want || resp.Request != req {
					t.Errorf("got  %+v\nwant %+v", got, tc.want)
				}
				if tc.want.trailer != "" && !announcedFirst {
					t.Error("the trailers were not announced")
				}
			})
		})
	}
}

// fields is a header as text.
func fields(h http.Header) string {
	var b strings.Builder
	if err := h.Write(&b); err != nil {
		return err.Error()
	}
	var all []string
	for line := range strings.Lines(b.String()) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		value = strings.TrimSpace(value)
		if n := len(all); n > 0 && strings.HasPrefix(all[n-1], name+":") {
			all[n-1] += "," + value
			continue
		}
		all = append(all, name+":"+value)
	}
	for name, values := range h {
		if len(values) == 0 {
			all = append(all, name+":")
		}
	}
	return strings.Join(sorted(all), " ")
}

// Bytes that are no response are an error that says so.
func TestTransportRefuses(t *testing.T) {
	for name, tc := range map[string]struct{ wire, want string }{
		"nothing":           {"", "EOF"},
		"half a head":       {"HTTP/1.1 200 OK\r\nA: b\r\n", "unexpected EOF"},
		"something else":    {"220 mail.example.com ESMTP\r\n\r\n", `malformed HTTP response "220 mail.example.com ESMTP"`},
		"a signed length":   {"HTTP/1.1 200 OK\r\nContent-Length: +3\r\n\r\nabc", `bad Content-Length "+3"`},
		"a word as length":  {"HTTP/1.1 200 OK\r\nA: b\r\ncontent-length: 3\r\nContent-Length: x\r\n\r\nabc", `bad Content-Length "x"`},
		"two lengths":       {"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc", "Content-Length"},
		"an unknown coding": {"HTTP/1.1 200 OK\r\nTransfer-Encoding: zip\r\n\r\nabc", "transfer coding"},
		"a blank in names":  {"HTTP/1.1 200 OK\r\nA : b\r\n\r\n", "white space"},
		"a large head":      {"HTTP/1.1 200 OK\r\nA: " + strings.Repeat("x", 5000) + "\r\n\r\n", "net/http: server response headers exceeded 4096 bytes; aborted"},
		"endless 1xx":       {strings.Repeat("HTTP/1.1 102 Processing\r\n\r\n", 100) + noBody, "too many 1xx"},
	} {
		t.Run(name, func(t *testing.T) {
			ways(t, func(t *testing.T, fresh func() *nethttp.Transport) {
				addr := speak(t, func(w *wire) {
					w.head()
					w.send(tc.wire)
				})
				tr := fresh()
				tr.MaxResponseHeaderBytes = 4096
				resp, err := tr.RoundTrip(getRequest(t, "http://"+addr))
				if err == nil || !strings.Contains(err.Error(), tc.want) {
					t.Errorf("got %v, %v, want %q", resp, err, tc.want)
				}
			})
		})
	}
}

// A head may be as long as MaxResponseHeaderBytes, 10 MiB by default, and the error for a longer one says so.
func TestTransportHeadLimit(t *testing.T) {
	t.Parallel()
	const before, after = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nA: ", "\r\n\r\n"
	for _, set := range []int64{0, 8 << 20, 12 << 20} {
		limit := int(set)
		if set == 0 {
			limit = 10 << 20
		}
		for _, over := range []int{0, 1} {
			value := strings.Repeat("x", limit+over-len(before)-len(after))
			addr := speak(t, func(w *wire) {
				w.head()
				w.send(before + value + after)
			})
			tr := &nethttp.Transport{MaxResponseHeaderBytes: set}
			resp, err := tr.RoundTrip(getRequest(t, "http://"+addr))
			switch refusal := fmt.Sprintf("net/http: server response headers exceeded %d bytes; aborted", limit); {
			case over == 0 && (err != nil || resp.Header.Get("A") != value):
				t.Errorf("a limit of %d bytes: a head of that length fails with %v", limit, err)
			case over > 0 && (err == nil || !strings.Contains(err.Error(), refusal)):
				t.Errorf("a limit of %d bytes: a head that is longer fails with %v", limit, err)
			}
			tr.Close()
		}
	}
}

func sorted(all []string) []string {
	slices.Sort(all)
	return all
}
