package http2

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"strings"
)

// lengths of bodies: around frames, windows and buffers.
var lengths = []int{0, 1, 4095, 4096, 16383, 16384, 16385, 65534, 65535, 65536, 1 << 20}

// seen records what a handler sees of a request.
func seen(k *talk, _ http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	k.notef("handler: %s %s %s %q host %q length %d body %d bytes, %v; %s trailer %s; TLS %v, close %v, encoding %q",
		r.Method, r.Proto, r.RequestURI, r.URL.String(), r.Host, r.ContentLength, len(body), err, fields(r.Header), fields(r.Trailer),
		r.TLS != nil, r.Close, r.TransferEncoding)
}

// echo sends back what comes, as it comes.
func echo(_ *talk, w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) }

func requestRows() []row {
	return []row{
		{name: "methods", handle: seen, play: func(k *talk) {
			for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "FROB"} {
				k.tell(k.request(method, "/path?q=1&r=%20", nil))
			}
		}},
		{name: "targets", handle: seen, play: func(k *talk) {
			for _, target := range []string{"/", "/a%2Fb", "/a//b/../c", "/?", "/?q", "//other.example.com/x", "/%E4", "/a;b=c"} {
				k.tell(k.request("GET", target, nil))
			}
		}},
		{name: "fields", handle: seen, play: func(k *talk) {
			req := k.request("GET", "/", nil)
			req.Header["X-Many"] = []string{"one", "", "three", "one"}
			req.Header.Set("Cookie", "a=1; b=2; c=3")
			req.Header.Set("Accept-Encoding", "br")
			req.Header.Set("User-Agent", "")
			req.Header.Set("Te", "trailers")
			req.Header.Set("X-Bytes", "\x80\xff é\ttab")
			k.tell(req)
		}},
		{name: "long fields",
			differs: "a head has 200 fields at most, as over HTTP/1",
			ours:    "client: HTTP/2.0 431",
			handle: func(k *talk, w http.ResponseWriter, r *http.Request) {
				k.notef("handler: %d bytes, %d fields", len(r.Header.Get("X-Long")), len(r.Header))
			}, play: func(k *talk) {
				for _, n := range []int{4 << 10, 16 << 10, 17 << 10, 60 << 10} {
					req := k.request("GET", "/", nil)
					req.Header.Set("X-Long", letters(n))
					k.tell(req)
				}
				req := k.request("GET", "/", nil)
				for i := range 500 {
					req.Header.Set(fmt.Sprintf("X-Field-%d", i), fmt.Sprint(i))
				}
				k.tell(req)
			}},
		{name: "bodies of known length", handle: echo, play: func(k *talk) {
			for _, n := range lengths {
				k.back(k.request("POST", "/", strings.NewReader(letters(n))), n)
			}
		}},
		{name: "bodies of unknown length", handle: echo, play: func(k *talk) {
			for _, n := range lengths {
				k.back(k.request("POST", "/", unsized{strings.NewReader(letters(n))}), n)
			}
		}},
		{name: "what the handler sees of a body", handle: seen, play: func(k *talk) {
			k.tell(k.request("POST", "/", strings.NewReader("known")))
			k.tell(k.request("POST", "/", unsized{strings.NewReader("unknown")}))
			k.tell(k.request("POST", "/", http.NoBody))
			k.tell(k.request("GET", "/", strings.NewReader("with a body")))
			k.tell(k.request("DELETE", "/", strings.NewReader("with a body")))
		}},
		{name: "trailers of a request", handle: func(k *talk, w http.ResponseWriter, r *http.Request) {
			k.notef("announced: %s", fields(r.Trailer))
			seen(k, w, r)
		}, play: func(k *talk) {
			req := k.request("POST", "/", unsized{strings.NewReader("body")})
			req.Trailer = http.Header{"X-Sum": {"1"}, "X-End": {"a", "b"}}
			k.tell(req)
		}},
		{name: "a body that nobody reads", handle: func(k *talk, w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, "not read")
		}, play: func(k *talk) {
			for range 20 { // more than the connection's window, which must be given back
				k.tell(k.request("POST", "/", strings.NewReader(letters(60_000))))
			}
		}},
		{name: "MaxBytesReader", handle: func(k *talk, w http.ResponseWriter, r *http.Request) {
			b, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 10))
			k.notef("handler: %q, %v", b, err)
			w.WriteHeader(http.StatusRequestEntityTooLarge)
		}, play: func(k *talk) {
			k.tell(k.request("POST", "/", strings.NewReader("ten bytes.")))
			k.tell(k.request("POST", "/", strings.NewReader("eleven byte")))
		}},
		{name: "forms", handle: func(k *talk, w http.ResponseWriter, r *http.Request) {
			err := r.ParseForm()
			k.notef("handler: %v %v %v", err, r.Form, r.PostForm)
		}, play: func(k *talk) {
			req := k.request("POST", "/?a=1", strings.NewReader("a=2&b=%203"))
			req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			k.tell(req)
		}},
		{name: "Expect: 100-continue, and the body is read",
			differs: "the field Expect stays, as over HTTP/1",
			ours:    `Expect: ["100-continue"]`,
			handle:  seen, play: func(k *talk) { expectContinue(k) }},
		{name: "Expect: 100-continue, and it is not", handle: func(k *talk, w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusExpectationFailed)
		}, play: func(k *talk) { expectContinue(k) }},
	}
}

// back records what comes back of n bytes.
func (k *talk) back(req *http.Request, n int) {
	k.Helper()
	res := k.send(req)
	body, err := io.ReadAll(res.Body)
	k.notef("%d bytes: %s, %d back, the same %v, %v", n, res.Status, len(body), bytes.Equal(body, []byte(letters(n))), err)
}

func expectContinue(k *talk) {
	req := k.request("POST", "/", strings.NewReader("expected"))
	req.Header.Set("Expect", "100-continue")
	trace := &httptrace.ClientTrace{
		Got100Continue: func() { k.notef("client: 100") },
		Got1xxResponse: func(code int, h textproto.MIMEHeader) error {
			k.notef("client: %d %s", code, fields(http.Header(h)))
			return nil
		},
	}
	k.tell(req.WithContext(httptrace.WithClientTrace(req.Context(), trace)))
}
