package http2

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"strings"
	"time"
)

// onPath has a handler for each path.
func onPath(handlers map[string]func(k *talk, w http.ResponseWriter, r *http.Request)) func(k *talk, w http.ResponseWriter, r *http.Request) {
	return func(k *talk, w http.ResponseWriter, r *http.Request) { handlers[r.URL.Path](k, w, r) }
}

type handlers = map[string]func(k *talk, w http.ResponseWriter, r *http.Request)

func responseRows() []row {
	return []row{
		{name: "nothing is written", handle: func(*talk, http.ResponseWriter, *http.Request) {}, play: twoWays},
		{name: "a short body", handle: func(_ *talk, w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "short") }, play: twoWays},
		{name: "types that are told by the bytes", handle: func(_ *talk, w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, r.URL.Query().Get("b"))
		}, play: func(k *talk) {
			for _, b := range []string{"<html>", "%25PDF-1.4", "{}", "%00%01"} {
				k.tell(k.request("GET", "/?b="+b, nil))
			}
		}},
		{name: "bodies of many lengths", handle: func(_ *talk, w http.ResponseWriter, r *http.Request) {
			var n int
			fmt.Sscan(r.URL.Query().Get("n"), &n)
			io.WriteString(w, letters(n))
		}, play: func(k *talk) {
			for _, n := range lengths {
				res := k.send(k.request("GET", fmt.Sprint("/?n=", n), nil))
				body, err := io.ReadAll(res.Body)
				k.notef("%d: %v, the same %v", n, err, string(body) == letters(n))
			}
		}},
		{name: "statuses",
			differs: "a response 205 has no body (RFC 9110 §15.3.6)",
			ours:    "client: HTTP/2.0 205\nContent-Length: 0",
			handle: func(k *talk, w http.ResponseWriter, r *http.Request) {
				var code int
				fmt.Sscan(r.URL.Path[1:], &code)
				w.Header().Set("X-A", "b")
				w.WriteHeader(code)
				_, err := io.WriteString(w, "body")
				k.notef("handler: %v", err)
			}, play: func(k *talk) {
				for _, code := range []int{200, 201, 204, 205, 206, 299, 301, 304, 400, 404, 418, 499, 500, 503, 599, 999} {
					k.tell(k.request("GET", fmt.Sprint("/", code), nil))
					k.tell(k.request("HEAD", fmt.Sprint("/", code), nil))
				}
			}},
		{name: "informational responses", handle: func(k *talk, w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Link", "</style.css>; rel=preload")
			w.WriteHeader(http.StatusEarlyHints)
			w.Header().Add("Link", "</more.css>; rel=preload")
			w.WriteHeader(http.StatusEarlyHints)
			w.WriteHeader(http.StatusProcessing)
			io.WriteString(w, "in the end")
		}, play: func(k *talk) {
			req := k.request("GET", "/", nil)
			k.tell(req.WithContext(httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{
				Got1xxResponse: func(code int, h textproto.MIMEHeader) error {
					k.notef("client: %d %s", code, fields(http.Header(h)))
					return nil
				},
			})))
		}},
		{name: "fields", handle: func(k *talk, w http.ResponseWriter, r *http.Request) {
			h := w.Header()
			h["X-Many"] = []string{"one", "", "three"}
			h.Set("Content-Type", "text/x-special")
			h["lower-case"] = []string{"kept"}
			h.Add("Set-Cookie", "a=1")
			h.Add("Set-Cookie", "b=2")
			h.Set("Server", "itself")
			h.Set("X-Long", letters(30<<10))
			io.WriteString(w, "body")
			h.Set("X-Late", "lost")
		}, play: twoWays},
		{name: "no Date and no type", native: "a native handler has other words for that", handle: func(k *talk, w http.ResponseWriter, r *http.Request) {
			w.Header()["Date"], w.Header()["Content-Type"] = nil, nil
			io.WriteString(w, "body")
		}, play: func(k *talk) {
			res := k.send(k.request("GET", "/", nil))
			k.notef("%s", fields(res.Header))
		}},
		{name: "a Date", handle: func(k *talk, w http.ResponseWriter, r *http.Request) {}, play: func(k *talk) {
			res := k.send(k.request("GET", "/", nil))
			at, err := http.ParseTime(res.Header.Get("Date"))
			k.notef("%v, of today %v", err, time.Since(at).Abs() < time.Hour)
		}},
		// RFC 9113 §8.2.2
		{name: "fields of a connection",
			differs: "fields of a connection are left out of all responses (RFC 9113 §8.2.2)",
			ours:    "client: HTTP/2.0 200\nContent-Length: 4\nContent-Type: text/plain; charset=utf-8\n\nbody",
			handle: func(k *talk, w http.ResponseWriter, r *http.Request) {
				w.Header().Set(r.URL.Path[1:], r.URL.Query().Get("v"))
				io.WriteString(w, "body")
			}, play: func(k *talk) {
				for _, field := range []string{"Keep-Alive?v=timeout=5", "Proxy-Connection?v=keep-alive", "Transfer-Encoding?v=chunked",
					"Upgrade?v=websocket", "Connection?v=X-A"} {
					k.tell(k.request("GET", "/"+field, nil))
				}
			}},
		{name: "a field that cannot be sent", native: "it is left out as a whole",
			differs: "line breaks in a value become spaces, as over HTTP/1",
			ours:    "X-Line: a  b",
			handle: func(k *talk, w http.ResponseWriter, r *http.Request) {
				w.Header()["X-Line"] = []string{"a\r\nb"}
				w.Header()["X Space"] = []string{"name"}
				w.Header()[""] = []string{"no name"}
				w.Header()[":status"] = []string{"999"}
				io.WriteString(w, "body")
			}, play: twoWays},
		{name: "a counted body",
			differs: "bytes beyond the Content-Length are refused when they are written, as over HTTP/1; a response that ends early is reset",
			ours:    "handler: 4 <nil>, 0 true",
			handle: onPath(handlers{
				"/right": func(k *talk, w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Content-Length", "4")
					io.WriteString(w, "four")
				},
				"/more": func(k *talk, w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Content-Length", "4")
					n, err := io.WriteString(w, "four")
					m, err2 := io.WriteString(w, " and more")
					k.notef("handler: %d %v, %d %v", n, err, m, errors.Is(err2, http.ErrContentLength))
				},
				"/less": func(k *talk, w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Content-Length", "40")
					io.WriteString(w, "four")
				},
				"/no-number": func(k *talk, w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Content-Length", "four")
					io.WriteString(w, "four")
				},
			}), play: func(k *talk) {
				for _, path := range []string{"/right", "/more", "/less", "/no-number", "/right"} {
					k.tell(k.request("GET", path, nil))
				}
			}},
		{name: "trailers",
			differs: "a response with trailers has no Content-Length that the handler did not set",
			ours:    "X-Second: 2\nlength -1",
			handle: func(k *talk, w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Trailer", "X-Announced, X-Never")
				w.Header().Add("Trailer", "X-Second")
				io.WriteString(w, "body")
				w.Header().Set("X-Announced", "1")
				w.Header().Set("X-Second", "2")
				w.Header().Set("X-Not-Announced", "lost")
				w.Header().Set(http.TrailerPrefix+"X-Prefixed", "3")
			}, play: twoWays},
		{name: "trailers without a body",
			differs: "a response with trailers has no Content-Length that the handler did not set",
			ours:    "X-Status: 0\nlength -1",
			handle: func(k *talk, w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Trailer", "X-Status")
				w.WriteHeader(200)
				w.Header().Set("X-Status", "0")
			}, play: twoWays},
		{name: "WriteHeader twice", handle: func(k *talk, w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(201)
			w.WriteHeader(202)
			io.WriteString(w, "body")
		}, play: twoWays},
		{name: "HEAD of a counted body", handle: func(k *talk, w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "1234")
			w.WriteHeader(200)
		}, play: func(k *talk) { k.tell(k.request("HEAD", "/", nil)) }},
		{name: "what a ResponseWriter can do", native: "it is about net/http's types", handle: func(k *talk, w http.ResponseWriter, r *http.Request) {
			_, flusher := w.(http.Flusher)
			_, text := w.(io.StringWriter)
			k.notef("handler: flush %v, text %v, duplex %v", flusher, text, http.NewResponseController(w).EnableFullDuplex())
		}, play: twoWays},
		{name: "deadlines that are far away", handle: func(k *talk, w http.ResponseWriter, r *http.Request) {
			c := http.NewResponseController(w)
			k.notef("deadlines: %v %v", c.SetReadDeadline(time.Now().Add(time.Hour)), c.SetWriteDeadline(time.Now().Add(time.Hour)))
		}, play: twoWays},
		{name: "a connection that cannot be taken over", handle: func(k *talk, w http.ResponseWriter, r *http.Request) {
			_, _, err := http.NewResponseController(w).Hijack()
			k.notef("not supported: %v", errors.Is(err, http.ErrNotSupported))
			io.WriteString(w, "answered all the same")
		}, play: twoWays},
		{name: "files and ranges", handle: func(k *talk, w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Etag", `"1"`)
			http.ServeContent(w, r, "a.txt", time.Time{}, strings.NewReader(letters(100_000)))
		}, play: func(k *talk) {
			for _, f := range [][2]string{{"X-None", "1"}, {"Range", "bytes=5-9"}, {"Range", "bytes=-3"}, {"Range", "bytes=0-1,5-6"},
				{"Range", "bytes=100000-"}, {"If-None-Match", `"1"`}} {
				req := k.request("GET", "/", nil)
				req.Header.Set(f[0], f[1])
				x := k.Read(k.Client.Do(req))
				if strings.HasPrefix(x.Header.Get("Content-Type"), "multipart/byteranges") {
					x.Header.Del("Content-Type") // which has a random boundary
					x.Body = ""
				}
				k.notef("%s", brief(x))
			}
		}},
	}
}

// twoWays asks by GET and by HEAD.
func twoWays(k *talk) {
	k.tell(k.request("GET", "/", nil))
	k.tell(k.request("HEAD", "/", nil))
}
