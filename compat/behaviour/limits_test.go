package behaviour

import (
	"fmt"
	"io"
	"net/http"
	"strings"
)

func limitRows() []row { return append(headLimitRows(), bodyLimitRows()...) }

// tooLarge is a row about a head beyond a limit.
func tooLarge(name string, limit int, text, want string) row {
	return row{name: name, want: want, play: func(s *scene) {
		s.start(&http.Server{MaxHeaderBytes: limit,
			Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {})})
		p := s.dial()
		go p.say(text)
		p.hearStatus("GET")
	}}
}

func headLimitRows() []row {
	const get = "GET / HTTP/1.1\r\nHost: a\r\n"
	big := func(n int) string { return get + "Foo: " + xs(n) + "\r\n\r\n" }
	const refusal = "431 Request Header Fields Too Large (closes)"
	return []row{
		tooLarge("a field of 2 MiB", 0, big(2<<20), refusal),
		tooLarge("a field of 40 KiB", 0, big(40<<10), "200 OK"),
		tooLarge("a limit of the server's own", 1<<10, big(20<<10), refusal),
		tooLarge("within a limit of the server's own", 1<<20, big(500<<10), "200 OK"),
		tooLarge("1.5 MiB of small fields", 0,
			get+strings.Repeat("header: value\r\n", 100_000)+"\r\n", refusal),
		{name: "a field of 500 KiB", want: "200 OK", ours: refusal,
			differs: "a head may have 64 KiB by default, not 1 MiB",
			play:    tooLarge("", 0, big(500<<10), "").play},
		{name: "250 fields", want: "200 OK", ours: refusal,
			differs: "a head may have 200 fields",
			play:    tooLarge("", 0, get+strings.Repeat("a: b\r\n", 250)+"\r\n", "").play},
		{name: "a target of 1 MiB and more", want: refusal,
			play: tooLarge("", 0, "GET /"+xs(2<<20)+" HTTP/1.1\r\nHost: a\r\n\r\n", "").play},
		tooLarge("a target of 10 KiB", 0, "GET /"+xs(10<<10)+" HTTP/1.1\r\nHost: a\r\n\r\n", "200 OK"),
	}
}

func bodyLimitRows() (rows []row) {
	for _, limit := range []int64{100, 1000, 100_000} {
		for _, size := range []int{100, 1000, 100_000} {
			name := fmt.Sprintf("MaxBytesHandler(%d) and %d bytes", limit, size)
			rows = append(rows, row{name: name, want: "handler:", play: func(s *scene) {
				done := make(chan string, 1)
				s.serve(http.MaxBytesHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					b, err := io.ReadAll(r.Body)
					done <- fmt.Sprintf("handler: %d bytes, %s", len(b), plain(err))
					w.Header().Set("Content-Type", "text/plain")
					w.Header().Set("Connection", "close")
					w.Write(b[:min(50, len(b))])
				}), limit))
				p := s.dial()
				go p.say(post(sized(size), xs(size)))
				p.hear("POST")
				s.notef("%s", await(s, done))
			}})
		}
	}
	limited := func(w http.ResponseWriter, r *http.Request) {
		n, err := io.Copy(io.Discard, http.MaxBytesReader(w, r.Body, 10))
		fmt.Fprint(w, n, " ", plain(err))
	}
	return append(rows,
		row{name: "MaxBytesReader within its limit", say: post(sized(10), xs(10)), handler: limited,
			want: "10 no error"},
		row{name: "MaxBytesReader and chunks within its limit",
			say: post(chunkedField, "a\r\n0123456789\r\n0\r\n\r\n"), handler: limited,
			want: "10 no error"},
		row{name: "MaxBytesReader and 2 MB", want: "(closes)", play: func(s *scene) {
			s.serveFunc(limited)
			p := s.dial()
			go p.say(post(sized(2_000_000), xs(2_000_000)))
			p.hear("POST")
			p.hearEnd()
		}},
		row{name: "MaxBytesReader and a little too much", say: post(sized(11), xs(11)), handler: limited,
			want: "200 OK (closes)", ours: "200 OK\n",
			differs: "the connection stays if no more than 256 KiB are left: they are read"},
		row{name: "MaxBytesReader and 2 MB of chunks", want: "10 more than 10 bytes", play: func(s *scene) {
			s.serveFunc(limited)
			p := s.dial()
			go p.say(post(chunkedField, "1e8480\r\n"+xs(2_000_000)+"\r\n0\r\n\r\n"))
			p.hear("POST")
			p.hearEnd()
		}},
		row{name: "MaxBytesReader keeps its error", say: post("Connection: close\r\n"+sized(30), xs(30)),
			want: "true",
			handler: func(w http.ResponseWriter, r *http.Request) {
				body := http.MaxBytesReader(w, r.Body, 10)
				_, first := io.ReadAll(body)
				n, second := body.Read(make([]byte, 5))
				fmt.Fprint(w, n, first != nil && first == second)
			}},
	)
}
