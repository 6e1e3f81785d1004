package server_test

import (
	"io"
	"net"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/server"
)

// browserHead is the head of a GET as a browser sends it.
const browserHead = "GET /a/path?with=query HTTP/1.1\r\nHost: localhost:8080\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64)\r\n" +
	"Accept: text/html,application/xhtml+xml\r\nAccept-Language: en\r\nAccept-Encoding: gzip, br\r\n" +
	"Connection: keep-alive\r\nCookie: a=b; c=d\r\nCache-Control: no-cache\r\n\r\n"

var hello = []byte("Hello, World!")

func ignoreGone() {}

// In the steady state neither the server nor a native handler allocates.
func TestNoAllocationPerRequest(t *testing.T) {
	if raceEnabled {
		t.Skip("sync.Pool drops things at random under the race detector")
	}
	for _, c := range []struct {
		name, request string
		handler       server.HandlerFunc
	}{
		{"GET", browserHead, func(w *server.ResponseWriter, r *server.Request) {
			if len(r.Path()) > 0 && r.Header().Get("Cookie") != nil {
				w.WriteBody("text/plain", hello)
			}
		}},
		{"GET with fields", browserHead, func(w *server.ResponseWriter, r *server.Request) {
			w.Header().Set("Content-Type", "text/plain")
			w.Header().Set("Content-Length", "13")
			w.Write(hello)
		}},
		{"small POST", post("Content-Length: 13\r\n", "Hello, World!"), func(w *server.ResponseWriter, r *server.Request) {
			if body, err := r.Body(); err == nil {
				w.WriteBody("text/plain", body)
			}
		}},
		{"small POST, read", post("Content-Length: 13\r\n", "Hello, World!"), func(w *server.ResponseWriter, r *server.Request) {
			io.Copy(w, struct{ *server.Request }{r})
		}},
		{"chunked both ways", post(chunkedField, "d\r\nHello, World!\r\n0\r\n\r\n"), func(w *server.ResponseWriter, r *server.Request) {
			w.Header().Set("Transfer-Encoding", "chunked")
			if body, err := r.Body(); err == nil {
				w.Write(body)
			}
		}},
		{"Mux and values", "GET /items/7%2F8/files/a/b?q=a+b&x=y HTTP/1.1\r\nHost: h\r\nCookie: a=b; c=\"d\"\r\n\r\n",
			func() server.HandlerFunc {
				m := new(server.Mux)
				m.HandleFunc("GET /items/{id}/files/{name...}", func(w *server.ResponseWriter, r *server.Request) {
					w.Write(r.PathValue("id"))
					w.Write(r.PathValue("name"))
					w.Write(r.QueryValues().Get("q"))
					w.Write(r.Cookie("c"))
				})
				return m.ServeHTTP
			}()},
		{"OnGone", browserHead, func(w *server.ResponseWriter, r *server.Request) {
			r.OnClientGone(ignoreGone)
			r.OnClientGone(ignoreGone)
			r.OnClientGoneInline(ignoreGone)
			w.Write(hello)
		}},
		{"Gone", browserHead, func(w *server.ResponseWriter, r *server.Request) {
			if !r.ClientGone() {
				w.Write(hello)
			}
		}},
		{"form", post("Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 9\r\n", "a=b+c&d=e"),
			func(w *server.ResponseWriter, r *server.Request) {
				if form, err := r.FormValues(); err == nil {
					w.Write(form.Get("a"))
				}
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if strings.HasSuffix(c.name, "Gone") && !canPark() {
				t.Skip("the plain loop reads in the background to see the client's end")
			}
			f := handle(t, c.handler)
			nc, err := net.Dial("tcp", f.addr)
			if err != nil {
				t.Fatal(err)
			}
			defer nc.Close()
			request, answer := []byte(c.request), make([]byte, 4096)
			ask := func() {
				if _, err := nc.Write(request); err != nil {
					t.Fatal(err)
				}
				if _, err := nc.Read(answer); err != nil {
					t.Fatal(err)
				}
			}
			// The Date is made anew once a second, and a collection may empty a pool: both round down to nothing.
			if n := testing.AllocsPerRun(2000, ask); n != 0 {
				t.Errorf("%v allocations per request, want none", n)
			}
		})
	}
}
