package behaviour

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

func muxRows() []row {
	return slices.Concat(patternRows(), methodRows(), redirectRows(), locationRows(), wrapperRows())
}

// naming is a handler that responds with its name.
func naming(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, name, "|", r.URL.RawQuery, "|", r.Pattern) }
}

// muxed is a row about the response of a ServeMux with those patterns.
func muxed(name, host, request, want string, patterns ...string) row {
	return row{name: name, want: want, play: func(s *scene) {
		mux := http.NewServeMux()
		for _, p := range patterns {
			mux.Handle(p, naming(p))
		}
		s.serve(mux)
		p := s.dial()
		p.say(request + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n")
		p.hear(methods(request + " HTTP/1.1")[0])
	}}
}

func patternRows() []row {
	trees := []string{"/", "/dir/", "/search", "host.test/search", "host.test/"}
	return []row{
		muxed("a tree", "a", "GET /dir/page", "/dir/|", trees...),
		muxed("a tree's root", "a", "GET /dir/", "/dir/|", trees...),
		muxed("a path", "a", "GET /search", "/search|", trees...),
		muxed("a path is no tree", "a", "GET /search/foo", "/|", trees...),
		muxed("a host's path", "host.test", "GET /search", "host.test/search|", trees...),
		muxed("a host's tree", "host.test", "GET /else", "host.test/|", trees...),
		muxed("a host with a port", "host.test:443", "GET /else", "host.test/|", trees...),
		muxed("another host", "other.test", "GET /search", "/search|", trees...),
		muxed("an escaped path", "a", "GET /%23/page", "/#/|", "/", "/#/"),
		muxed("nothing fits", "a", "GET /none", "404 Not Found", "/dir/"),
		muxed("a method", "a", "GET /m", "GET /m|", "GET /m", "POST /m"),
		muxed("another method", "a", "POST /m", "POST /m|", "GET /m", "POST /m"),
		muxed("a method that is not there", "a", "DELETE /m", "405 Method Not Allowed\nAllow: GET, HEAD, POST",
			"GET /m", "POST /m"),
		muxed("HEAD fits GET", "a", "HEAD /m", "200 OK", "GET /m"),
		muxed("a wildcard", "a", "GET /items/7", "/items/{id}|", "/items/{id}", "/items/{id}/more"),
		muxed("a wildcard in the middle", "a", "GET /items/7/more", "/items/{id}/more|", "/items/{id}",
			"/items/{id}/more"),
		muxed("the end of a path", "a", "GET /x/", "/x/{$}|", "/x/{$}", "/"),
		muxed("GET *", "a", "GET *", "400 Bad Request (closes)", "/").statusOnly(),
		muxed("a slash is not added to a method of its own", "a", "POST /x/", "405 Method Not Allowed",
			"GET /x/", "POST /y"),
		{name: "values of wildcards", want: "a/b c/d", play: func(s *scene) {
			mux := http.NewServeMux()
			mux.HandleFunc("/v/{one}/{rest...}", func(w http.ResponseWriter, r *http.Request) {
				fmt.Fprint(w, r.PathValue("one"), " ", r.PathValue("rest"), r.PathValue("none"))
			})
			s.serve(mux)
			p := s.dial()
			p.say("GET /v/a%2Fb/c/d HTTP/1.1\r\nHost: a\r\n\r\n")
			p.hear("GET")
		}},
		{name: "no handler is the default mux", want: "404 Not Found", play: func(s *scene) {
			s.start(&http.Server{})
			p := s.dial()
			p.say("GET /not-registered HTTP/1.1\r\nHost: a\r\n\r\n")
			p.hear("GET")
		}},
	}
}

// methodRows are about which methods a path has.
func methodRows() (rows []row) {
	for _, m := range []struct{ method, path, want string }{
		{"GET", "/g", "200 OK"},
		{"HEAD", "/g", "200 OK"},
		{"POST", "/g", "Allow: GET, HEAD\n"},
		{"GET", "/x", "404 Not Found"},
		{"GET", "/p", "Allow: PATCH, POST\n"},
		{"GET", "/./p", "Location: /p\n"},
		{"GET", "/r/", "200 OK"},
		{"GET", "/r", "Location: /r/\n"},
		{"HEAD", "/r", "Location: /r/\n"},
		{"PUT", "/r/", "Allow: GET, HEAD\n"},
		{"PUT", "/r", "200 OK"},
	} {
		rows = append(rows,
			muxed(m.method+" "+m.path, "a", m.method+" "+m.path, m.want, "GET /g", "POST /p", "PATCH /p",
				"PUT /r", "GET /r/"))
	}
	return rows
}

func redirectRows() []row {
	trees := []string{"/dir/", "/search", "host.test/other/"}
	redirect := func(name, to, want string, code int) row {
		return reply("Redirect: "+name, want,
			func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, code) })
	}
	return []row{
		muxed("a slash is added", "a", "GET /dir", "Location: /dir/\n", trees...),
		muxed("a slash is added before the query", "a", "GET /dir?a=b&c", "Location: /dir/?a=b&c", trees...),
		muxed("a slash is added for POST", "a", "POST /dir", "307 Temporary Redirect", trees...),
		muxed("a slash is added for a host", "host.test", "GET /other", "Location: /other/", trees...),
		muxed("a path is cleaned", "a", "GET /../search", "Location: /search", trees...),
		muxed("a path is cleaned inside", "a", "GET /dir/./file", "Location: /dir/file", trees...),
		muxed("a path is cleaned with its query", "a", "GET /x/../search?q", "Location: /search?q", trees...),
		muxed("several slashes", "a", "GET //search", "Location: /search", trees...),
		muxed("three slashes", "a", "GET ///search", "Location: /search", trees...),
		muxed("no path", "a", "GET http://a", "Location: /", trees...),
		redirect("an absolute URL", "https://b.test/x",
			"302 Found\nContent-Length: 39\nContent-Type: text/html; charset=utf-8\nLocation: https://b.test/x", 302),
		redirect("a path", "/x", "Location: /x", 301),
		redirect("a relative path", "x/../y", "Location: /y", 303),
		redirect("a query", "/x?a=b c", "Location: /x?a=b c", 307),
		redirect("beyond ASCII", "/é", "Location: /%c3%a9", 308),
		redirect("without a host", "//b.test/x", "Location: //b.test/x", 302),
		{name: "Redirect: POST has no body", want: "302 Found\nContent-Length: 0\nLocation: /x", say: post("", ""),
			handler: func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/x", http.StatusFound) }},
		{name: "Redirect: HEAD", want: "302 Found\nContent-Type: text/html; charset=utf-8\nLocation: /x",
			say:     "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n",
			handler: func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/x", http.StatusFound) }},
		reply("Redirect: a type that was set", "302 Found\nContent-Length: 0\nContent-Type: a/b\nLocation: /x",
			func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "a/b")
				http.Redirect(w, r, "/x", http.StatusFound)
			}),
		{name: "RedirectHandler", want: "Location: /to", play: func(s *scene) {
			s.serve(http.RedirectHandler("/to", http.StatusMovedPermanently))
			s.fetch(s.client(), "GET", "/from", nil)
		}},
	}
}

// locationRows are about where http.Redirect sends a client that asked for /dir/.
func locationRows() (rows []row) {
	for _, l := range []struct{ to, want string }{
		{"http://b.test/x", "http://b.test/x"},
		{"other://b.test/x", "other://b.test/x"},
		{"/x/", "/x/"},
		{"x", "/dir/x"},
		{"./x", "/dir/x"},
		{"../x", "/x"},
		{"../../x", "/x"},
		{"x/../y/", "/dir/y/"},
		{"///x", "/x"},
		{"/x?a=1&b=/../c", "/x?a=1&b=/../c"},
		{"http://b.test/../x", "http://b.test/../x"},
		{"q%2Fx", "/dir/q%2Fx"},
	} {
		rows = append(rows, row{name: "Redirect from /dir/ to " + l.to, want: "Location: " + l.want + "\n",
			say:     "GET /dir/ HTTP/1.1\r\nHost: a\r\n\r\n",
			handler: func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, l.to, http.StatusFound) }})
	}
	return rows
}

func wrapperRows() []row {
	stripped := func(path, want string) row {
		return row{name: "StripPrefix: " + path, want: want, play: func(s *scene) {
			s.serve(http.StripPrefix("/foo/bar", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				fmt.Fprint(w, r.URL.Path, " ", r.URL.RawPath, " ", r.RequestURI)
			})))
			s.fetch(s.client(), "GET", path, nil)
		}}
	}
	return []row{
		stripped("/foo/bar/qux", "/qux  /foo/bar/qux"),
		stripped("/foo/bar%2Fqux", "/qux %2Fqux"),
		stripped("/foo%2Fbar/qux", "404 Not Found"),
		stripped("/bar", "404 Not Found"),
		{name: "TimeoutHandler: in time",
			want: "200 OK\nContent-Length: 2\nContent-Type: text/plain; charset=utf-8\nX: 1", play: func(s *scene) {
				s.serve(http.TimeoutHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("X", "1")
					io.WriteString(w, "hi")
				}), time.Hour, ""))
				s.fetch(s.client(), "GET", "/", nil)
			}},
		{name: "TimeoutHandler: nothing written", want: "200 OK", play: func(s *scene) {
			s.serve(http.TimeoutHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {}),
				time.Hour, ""))
			s.fetch(s.client(), "GET", "/", nil)
		}},
		{name: "TimeoutHandler: too late", want: "503 Service Unavailable", play: func(s *scene) {
			late, answered := make(chan error, 1), make(chan bool)
			s.serve(http.TimeoutHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				<-r.Context().Done()
				await(s, answered)
				_, err := io.WriteString(w, "late")
				late <- err
			}), short, ""))
			s.fetch(s.client(), "GET", "/", nil)
			close(answered)
			s.notef("%v", errors.Is(await(s, late), http.ErrHandlerTimeout))
		}},
		{name: "TimeoutHandler: too late, with words of its own", want: "too slow", play: func(s *scene) {
			s.serve(http.TimeoutHandler(http.HandlerFunc(func(w http.ResponseWriter,
				r *http.Request) {
				<-r.Context().Done()
			}), short, "too slow"))
			s.fetch(s.client(), "GET", "/", nil)
		}},
		{name: "TimeoutHandler: the context is over already", want: "503 Service Unavailable", play: func(s *scene) {
			over, cancel := context.WithCancel(context.Background())
			cancel()
			h := http.TimeoutHandler(http.HandlerFunc(func(w http.ResponseWriter,
				r *http.Request) {
				<-r.Context().Done()
				time.Sleep(short)
			}), time.Hour, "x")
			s.serveFunc(func(w http.ResponseWriter, r *http.Request) { h.ServeHTTP(w, r.WithContext(over)) })
			s.fetch(s.client(), "GET", "/", nil)
		}},
		{name: "TimeoutHandler: many at once", want: "responses: 60", play: func(s *scene) {
			s.serve(http.TimeoutHandler(http.HandlerFunc(func(w http.ResponseWriter,
				r *http.Request) {
				w.WriteHeader(204)
			}), time.Nanosecond, ""))
			s.fetchAtOnce(60)
		}},
		{name: "TimeoutHandler: superfluous statuses are logged", want: "3", play: func(s *scene) {
			s.serve(http.TimeoutHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				for range 4 {
					w.WriteHeader(404)
				}
			}), time.Hour, ""))
			s.fetch(s.client(), "GET", "/", nil)
			s.notef("%d", strings.Count(s.log.String(), "superfluous response.WriteHeader call from"))
		}},
		{name: "CrossOriginProtection", want: "403 Forbidden", play: func(s *scene) {
			s.serve(http.NewCrossOriginProtection().Handler(naming("ok")))
			c := s.client()
			s.fetch(c, "POST", "/", nil, "Sec-Fetch-Site", "cross-site")
			s.fetch(c, "POST", "/", nil, "Sec-Fetch-Site", "same-origin")
			s.fetch(c, "GET", "/", nil, "Sec-Fetch-Site", "cross-site")
			s.fetch(c, "POST", "/", nil, "Origin", "https://evil.test")
			s.fetch(c, "POST", "/", nil)
		}},
	}
}
