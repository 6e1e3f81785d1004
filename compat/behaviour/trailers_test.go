package behaviour

import (
	"io"
	"net/http"
)

func trailerRows() []row {
	announced := func(flush bool) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Trailer", "A, B")
			w.Header().Add("Trailer", "C")
			io.WriteString(w, "body")
			if flush {
				w.(http.Flusher).Flush()
			}
			w.Header().Set("A", "1")
			w.Header().Set("C", "3")
			w.Header().Set("D", "not announced")
		}
	}
	prefixed := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X", "x")
		w.Header().Set(http.TrailerPrefix+"X", "1")
		w.(http.Flusher).Flush()
		w.Header().Add(http.TrailerPrefix+"X", "2")
		w.Header().Set(http.TrailerPrefix+"Y", "3")
	}
	return []row{
		reply("announced", "trailers:\nA: 1\nC: 3\n", announced(false)),
		reply("announced and flushed", "trailers:\nA: 1\nC: 3\n", announced(true)),
		reply("not announced, with the prefix", "trailers:\nX: 1\nX: 2\nY: 3", prefixed),
		reply("announced and never set", "200 OK (chunked)", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Trailer", "A")
			io.WriteString(w, "body")
		}),
		reply("announced, no body", "trailers:\nA: 1", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Trailer", "A")
			w.WriteHeader(200)
			w.Header().Set("A", "1")
		}),
		reply("set before the body", "trailers:\nA: 1", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Trailer", "A")
			w.Header().Set("A", "1")
			io.WriteString(w, "body")
		}),
		{name: "of framing", say: getRoot, want: "broken response", ours: "200 OK (chunked)",
			differs: "fields that must not be trailers are not announced (RFC 9110 §6.5.1)",
			handler: func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Trailer", "Content-Length")
				w.(http.Flusher).Flush()
				io.WriteString(w, "body")
				w.Header().Set("Content-Length", "4")
			}},
		{name: "that come too late for a client", say: getRoot, want: "Set-Cookie", ours: "200 OK (chunked)\n",
			differs: "fields that must not be trailers are not sent (RFC 9110 §6.5.1)",
			handler: func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/plain")
				w.(http.Flusher).Flush()
				w.Header().Set(http.TrailerPrefix+"Set-Cookie", "a=b")
			}},
		{name: "not announced, nothing flushed", say: getRoot, want: "200 OK\nContent-Length: 4",
			ours:    "trailers:\nA: 1",
			differs: "they are sent",
			handler: func(w http.ResponseWriter, r *http.Request) {
				io.WriteString(w, "body")
				w.Header().Set(http.TrailerPrefix+"A", "1")
			}},
		{name: "of a response that has a length", say: getRoot, want: "Trailer: A",
			handler: func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Trailer", "A")
				w.Header().Set("Content-Length", "4")
				io.WriteString(w, "body")
			}},
		{name: "to HTTP/1.0", say: "GET / HTTP/1.0\r\n\r\n", want: "200 OK (closes)",
			handler: func(w http.ResponseWriter, r *http.Request) {
				w.(http.Flusher).Flush()
				io.WriteString(w, "body")
				w.Header().Set(http.TrailerPrefix+"A", "1")
			}},
	}
}
