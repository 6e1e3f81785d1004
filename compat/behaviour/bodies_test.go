package behaviour

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// echo reads the body and responds with it.
func echo(w http.ResponseWriter, r *http.Request) {
	b, err := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "text/plain")
	fmt.Fprintf(w, "%s, %v, length %d", abridged(b), plain(err), r.ContentLength)
}

// plain names an error as far as both servers share its identity.
func plain(err error) string {
	var tooLarge *http.MaxBytesError
	switch {
	case err == nil:
		return "no error"
	case errors.Is(err, io.EOF):
		return "EOF"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "unexpected EOF"
	case errors.Is(err, http.ErrBodyReadAfterClose):
		return "read after close"
	case errors.As(err, &tooLarge):
		return fmt.Sprintf("more than %d bytes", tooLarge.Limit)
	}
	return "an error"
}

func post(fields, body string) string {
	return "POST / HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n" + body
}

func sized[N int | int64](n N) string { return fmt.Sprintf("Content-Length: %d\r\n", n) }

func bodyRows() []row {
	return append(append(bodyLengthRows(), bodyUseRows()...), bodyLeftRows()...)
}

func bodyLengthRows() []row {
	return []row{
		{name: "a body that is read", say: post(sized(5), "hello"), handler: echo, want: "hello"},
		{name: "an empty body", say: post(sized(0), ""), handler: echo, want: "no error, length 0"},
		{name: "no length is no body", say: post("", ""), handler: echo, want: "no error, length 0"},
		{name: "a large body", say: post(sized(1<<20), xs(1<<20)), handler: echo, want: "1048576 bytes"},
		{name: "GET with a body", say: "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi",
			handler: echo, want: "hi"},
		{name: "HEAD with a body", say: "HEAD / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi",
			want: "X-Body: hi",
			handler: func(w http.ResponseWriter, r *http.Request) {
				b, _ := io.ReadAll(r.Body)
				w.Header().Set("X-Body", string(b))
			}},
		{name: "a body of HTTP/1.0", say: "POST / HTTP/1.0\r\nContent-Length: 2\r\n\r\nhi", handler: echo,
			want: "hi"},
		{name: "HTTP/1.0 without a length", say: "POST / HTTP/1.0\r\n\r\n", handler: echo, want: "length 0"},
		{name: "GET with a chunked body", handler: echo, want: "hi",
			say: "GET / HTTP/1.1\r\nHost: a\r\n" + chunkedField + "\r\n2\r\nhi\r\n0\r\n\r\n"},
		{name: "HEAD with a chunked body", want: "X-Body: hi",
			say: "HEAD / HTTP/1.1\r\nHost: a\r\n" + chunkedField + "\r\n2\r\nhi\r\n0\r\n\r\n",
			handler: func(w http.ResponseWriter, r *http.Request) {
				b, _ := io.ReadAll(r.Body)
				w.Header().Set("X-Body", string(b))
			}},
		{name: "bodies and none in turn on one connection", want: "one", play: func(s *scene) {
			s.serveFunc(echo)
			p := s.dial()
			for _, body := range []string{"", "", "one", "", "two"} {
				p.say("GET / HTTP/1.1\r\nHost: a\r\n" + sized(len(body)) + "\r\n" + body)
				p.hear("GET")
			}
		}},
		verdict("a length that is no number", post("Content-Length: x\r\n", ""), refused),
		verdict("a length that is no number beside chunked",
			post("Content-Length: x\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"), refused),
		verdict("a negative length", post("Content-Length: -1\r\n", ""), refused),
		verdict("a length with a plus sign", post("Content-Length: +1\r\n", "x"), refused),
		verdict("an empty length", post("Content-Length:\r\n", ""), refused),
		verdict("a length beyond 63 bits", post("Content-Length: 9223372036854775808\r\n", ""), refused),
		verdict("a length in hexadecimal", post("Content-Length: 0x3\r\n", "abc"), refused),
		verdict("a length with a space inside", post("Content-Length: 1 0\r\n", ""), refused),
		verdict("a length as a list", post("Content-Length: 3, 3\r\n", "abc"), refused),
		verdict("two lengths that differ", post("Content-Length: 3\r\nContent-Length: 4\r\n", "abcd"), refused),
		{name: "two lengths that agree", say: post("Content-Length: 3\r\nContent-Length: 3\r\n", "abc"),
			handler: echo, want: "abc",
			ours: "400 Bad Request (closes)", differs: "Content-Length comes once (RFC 9112 §6.3 allows both)"},
		{name: "a length with leading zeros", say: post("Content-Length: 003\r\n", "abc"), handler: echo,
			want: "abc"},
		{name: "no bytes without a body", want: "EOF", say: post("", ""),
			handler: func(w http.ResponseWriter, r *http.Request) {
				n, err := r.Body.Read(make([]byte, 1))
				fmt.Fprint(w, n, " ", plain(err), " ", r.Body == http.NoBody)
			}},
		{name: "a body that is cut off", want: "unexpected EOF", play: func(s *scene) {
			read := make(chan string, 1)
			s.serveFunc(func(w http.ResponseWriter, r *http.Request) {
				b, err := io.ReadAll(r.Body)
				read <- fmt.Sprintf("%q %s", b, plain(err))
			})
			p := s.dial()
			p.say(post(sized(10), "half"))
			p.finish()
			s.notef("%s", await(s, read))
		}},
	}
}

func bodyUseRows() []row {
	return []row{
		{name: "reading after Close", say: post(sized(5), "hello"), want: "read after close",
			handler: func(w http.ResponseWriter, r *http.Request) {
				r.Body.Close()
				_, err := r.Body.Read(make([]byte, 1))
				fmt.Fprint(w, plain(err))
			}},
		{name: "closing twice", say: post(sized(5), "hello"), want: "<nil> <nil>",
			handler: func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Body.Close(), r.Body.Close()) }},
		{name: "the last bytes and EOF", say: post(sized(5), "hello"), want: "hello",
			handler: func(w http.ResponseWriter, r *http.Request) {
				b := make([]byte, 5)
				_, err := io.ReadFull(r.Body, b)
				_, end := r.Body.Read(make([]byte, 1))
				_, again := r.Body.Read(make([]byte, 1))
				fmt.Fprintf(w, "%s %s %s %s", b, plain(err), plain(end), plain(again))
			}},
		{name: "a read into nothing", say: post(sized(5), "hello"), want: "0 no error",
			handler: func(w http.ResponseWriter, r *http.Request) {
				n, err := r.Body.Read(nil)
				fmt.Fprint(w, n, " ", plain(err))
			}},
		{name: "reading half of it", say: post(sized(5), "hello"), want: "he",
			handler: func(w http.ResponseWriter, r *http.Request) { io.CopyN(w, r.Body, 2) }},
		{name: "a handler that sets Body to nil", say: post(sized(5), "hello"), want: "ok",
			handler: func(w http.ResponseWriter, r *http.Request) { r.Body = nil; io.WriteString(w, "ok") }},
		{name: "a handler that replaces Body", say: post(sized(5), "hello"), want: "other",
			handler: func(w http.ResponseWriter, r *http.Request) {
				r.Body = io.NopCloser(bytes.NewReader([]byte("other")))
				io.Copy(w, r.Body)
			}},
		{name: "the body after the handler has returned", want: "an error", play: func(s *scene) {
			body := make(chan io.Reader, 1)
			s.serveFunc(func(w http.ResponseWriter, r *http.Request) {
				io.ReadFull(r.Body, make([]byte, 1)) // over HTTP/2 the handler may be called before there is a body
				body <- r.Body
			})
			p := s.dial()
			p.say(post(sized(5), "hello"))
			p.hear("POST")
			n, err := (await(s, body)).Read(make([]byte, 5))
			s.notef("%d, %s", n, map[bool]string{true: "no error", false: "an error"}[err == nil])
		}},
		{name: "two bodies one after the other", want: "first", play: func(s *scene) {
			s.serveFunc(echo)
			p := s.dial()
			p.say(post(sized(5), "first") + post(sized(6), "second"))
			p.hear("POST")
			p.hear("POST")
		}},
		{name: "posts of nothing share a connection", want: "<nil> true", play: func(s *scene) {
			s.serveFunc(func(w http.ResponseWriter, r *http.Request) {
				b, err := io.ReadAll(r.Body)
				w.Header().Set("Content-Length", "0")
				w.Header().Set("X-Read", fmt.Sprint(len(b), err))
				w.Header().Set("X-From", r.RemoteAddr)
			})
			c, from := s.client(), ""
			for i := range 3 {
				res, err := c.Post("http://"+s.addr, "text/plain", bytes.NewReader(nil))
				if err != nil {
					s.t.Fatal(err)
				}
				res.Body.Close()
				s.notef("%s %v %v", res.Header.Get("X-Read"), err, i == 0 || from == res.Header.Get("X-From"))
				from = res.Header.Get("X-From")
			}
		}},
		{name: "a body sent slowly", want: "abcdefghij", play: func(s *scene) {
			got := make(chan bool)
			s.serveFunc(func(w http.ResponseWriter, r *http.Request) {
				for range 10 {
					b := make([]byte, 1)
					io.ReadFull(r.Body, b)
					s.notef("%s", b)
					got <- true
				}
				echo(w, r)
			})
			p := s.dial()
			p.say(post(sized(10), ""))
			for _, b := range "abcdefghij" {
				p.say(string(b))
				await(s, got)
			}
			p.hear("POST")
			s.notef("abcdefghij")
		}},
	}
}

// bodyLeftRows are about what a handler leaves unread.
func bodyLeftRows() []row {
	ok := func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "ok") }
	closed := func(w http.ResponseWriter, r *http.Request) { r.Body.Close(); io.WriteString(w, "ok") }
	flushed := func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "ok")
		w.(http.Flusher).Flush()
	}
	const stays, goes = "after", "200 OK (closes)"
	left := func(name string, n int, h http.HandlerFunc, want string) row {
		return row{name: name, say: post(sized(n), xs(n)), handler: h, want: want}
	}
	return []row{
		left("5 bytes left", 5, ok, stays),
		left("100 KiB left", 100<<10, ok, stays),
		left("255 KiB left", 255<<10, ok, stays),
		left("20 KiB left and closed", 20<<10, closed, stays),
		left("100 KiB left when the response is flushed", 100<<10, flushed, stays),
		{name: "300 KiB left", want: goes, play: func(s *scene) { leave(s, 300<<10, ok) }},
		{name: "1 MiB left", want: goes, play: func(s *scene) { leave(s, 1<<20, ok) }},
		{name: "1 MiB left and closed", want: goes, play: func(s *scene) { leave(s, 1<<20, closed) }},
		{name: "1 MiB left when the response is flushed", want: goes,
			play: func(s *scene) { leave(s, 1<<20, flushed) }},
		{name: "9 GB announced and left", want: "404 Not Found (closes)", play: func(s *scene) {
			s.serve(http.NotFoundHandler())
			p := s.dial()
			p.say(post(sized(int64(9_999_999_999)), ""))
			p.hearStatus("POST")
		}},
		{name: "5 MiB left, and the response still arrives", want: "bye", play: func(s *scene) {
			s.serveFunc(func(w http.ResponseWriter,
				r *http.Request) {
				http.Error(w, "bye", http.StatusUnauthorized)
			})
			p := s.dial()
			go p.say(post(sized(5<<20), xs(5<<20)))
			p.hear("POST")
		}},
		{name: "a client that asks to close leaves 1 MiB", want: goes, play: func(s *scene) {
			s.serveFunc(closed)
			p := s.dial()
			go p.say(post("Connection: close\r\n"+sized(1<<20), xs(1<<20)))
			p.hearStatus("POST")
			p.hearEnd()
		}},
		{name: "a client that asks to close leaves chunks", want: goes, play: func(s *scene) {
			s.serveFunc(closed)
			p := s.dial()
			go p.say(post("Connection: close\r\n"+chunkedField, "5000\r\n"+xs(20<<10)+"\r\n0\r\n\r\n"))
			p.hearStatus("POST")
			p.hearEnd()
		}},
		{name: "a client that asks to close leaves a body", want: goes, play: func(s *scene) {
			s.serveFunc(ok)
			p := s.dial()
			p.say(post("Connection: close\r\n"+sized(20<<10), xs(20<<10)))
			p.hear("POST")
			p.hearEnd()
		}},
	}
}

// leave has h leave a body of n bytes: the response must arrive, and the connection must end.
func leave(s *scene, n int, h http.HandlerFunc) {
	s.serve(after(h))
	p := s.dial()
	go p.say(post(sized(n), xs(n)) + "GET /after HTTP/1.1\r\nHost: a\r\n\r\n")
	p.hearStatus("POST")
	p.hearEnd()
}
