package nethttp_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// pick returns one of the given.
func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

// randomRequest returns a well-formed request.
func randomRequest(r *rand.Rand) string {
	var b strings.Builder
	method := pick(r, "GET", "POST", "PUT", "DELETE", "OPTIONS", "PURGE")
	path := "/"
	for range r.IntN(6) {
		path += pick(r, "a", "bc", "/", "%41", "%2F", "%e4", "~", ";x=1", "'", "(b)", "*", "!", ":", "@", "$", "&", "+", "=", ",", ".", "..", "-_")
	}
	if r.IntN(2) == 0 {
		path += "?" + pick(r, "", "a=b", "a=b&c=%20", "?", "/", "a;b", "%", "'()*", "~+")
	}
	if r.IntN(8) == 0 {
		path = "http://other.test" + pick(r, "", ":8080") + path
	}
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\n%s: %s\r\n", method, path, pick(r, "Host", "host", "HOST"), pick(r, "a", "a:80", "[::1]:80", "x.y.z"))
	for range r.IntN(14) {
		name := pick(r, "Accept", "accept", "USER-AGENT", "x-1", "X-Two", "x-two", "Cookie", "sec-fetch-mode", "ETag", "pragma",
			"Cache-Control", "TE", "Via", "x_y", "Authorization", "Connection")
		value := pick(r, "", "v", "no-cache", "a, b", "keep-alive", "  spaced\t", "\"quoted\"", "\xe4\xf6", strings.Repeat("long ", 50))
		fmt.Fprintf(&b, "%s:%s%s\r\n", name, pick(r, " ", "", "\t "), value)
	}
	body := strings.Repeat("b", pick(r, 0, 1, 10, 3000, 10_000))
	switch r.IntN(3) {
	case 0:
		return b.String() + "\r\n"
	case 1:
		fmt.Fprintf(&b, "content-length: %d\r\n\r\n%s", len(body), body)
		return b.String()
	}
	b.WriteString("Transfer-Encoding: " + pick(r, "chunked", "Chunked") + "\r\n" + pick(r, "", "Trailer: X-Sum\r\n") + "\r\n")
	for len(body) > 0 {
		n := 1 + r.IntN(len(body))
		fmt.Fprintf(&b, "%x%s\r\n%s\r\n", n, pick(r, "", ";ext=1"), body[:n])
		body = body[n:]
	}
	return b.String() + "0\r\n" + pick(r, "", "X-Sum: 1\r\n", "x-sum: 1\r\nX-Sum: 2\r\n") + "\r\n"
}

func TestRandomRequestsAreNetHTTPs(t *testing.T) {
	const count = 400
	seed := rand.Uint64()
	got := make(chan string, 1)
	all := map[string][]string{}
	var name string
	configure := func() *http.Server {
		return &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { got <- string(dump(r)) })}
	}
	withBoth(t, configure, func(t *testing.T, addr string) {
		name = t.Name()
		r := rand.New(rand.NewPCG(seed, 0))
		p := dial(t, addr)
		for range count {
			p.say(randomRequest(r))
			all[name] = append(all[name], <-got)
			if answer := p.answer("GET"); !strings.Contains(answer, " 200 OK\n") {
				t.Fatalf("seed %d: response:\n%s", seed, answer)
			}
		}
	})
	std, ours := all[t.Name()+"/std"], all[t.Name()+"/ours"]
	for i := range min(len(std), len(ours)) {
		if std[i] != ours[i] {
			t.Fatalf("seed %d, request %d:\nnet/http:\n%s\nours:\n%s", seed, i, std[i], ours[i])
		}
	}
}

// randomScript returns what a handler is to do, one word for each step.
func randomScript(r *rand.Rand) string {
	var steps []string
	for range 1 + r.IntN(7) {
		steps = append(steps, pick(r, "w1", "w1", "w10", "s5", "s200", "w9000", "f", "h200", "h404", "h204", "h304", "h103", "x", "y",
			"t", "tn", "ce", "close", "tr", "pre", "body", "html", "copy20", "copy9000", "bad"))
	}
	return strings.Join(steps, ",")
}

// perform is the handler of randomScript.
func perform(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	for step := range strings.SplitSeq(r.URL.RawQuery, ",") {
		n, _ := strconv.Atoi(strings.TrimLeft(step, "abcdefghijklmnopqrstuvwxyz"))
		switch strings.TrimRight(step, "0123456789") {
		case "w":
			w.Write([]byte(strings.Repeat("w", n)))
		case "s":
			io.WriteString(w, strings.Repeat("s", n))
		case "copy":
			io.Copy(w, strings.NewReader(strings.Repeat("c", n)))
		case "html":
			io.WriteString(w, "<html>")
		case "body":
			io.Copy(io.Discard, r.Body)
		case "f":
			w.(http.Flusher).Flush()
		case "h":
			w.WriteHeader(n)
		case "x":
			h.Add("X-Field", "1")
		case "y":
			h.Set("x-field", "2\r\n3 ")
		case "t":
			h.Set("Content-Type", "a/b")
		case "tn":
			h["Content-Type"] = nil
		case "ce":
			h.Set("Content-Encoding", "x")
		case "close":
			h.Set("Connection", "close")
		case "tr":
			h.Add("Trailer", "X-Field")
		case "pre":
			w.(http.Flusher).Flush() // not flushed, net/http may lose it
			h.Set(http.TrailerPrefix+"X-Late", "l")
		case "bad":
			h["bad name"] = []string{"x"}
		}
	}
}

var lengthOrChunks = regexp.MustCompile(`(?m)^(Content-Length: \d+|\(chunked\))\n`)

func TestRandomAnswersAreNetHTTPs(t *testing.T) {
	const count = 400
	seed := rand.Uint64()
	all := map[string][]string{}
	r := rand.New(rand.NewPCG(seed, 0))
	var scripts, says []string
	for range count {
		scripts = append(scripts, randomScript(r))
		says = append(says, pick(r, "GET %s HTTP/1.1\r\nHost: a\r\n\r\n", "HEAD %s HTTP/1.1\r\nHost: a\r\n\r\n",
			"POST %s HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody",
			"POST %s HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n"))
	}
	onBoth(t, http.HandlerFunc(perform), func(t *testing.T, addr string) {
		for i := range count {
			p := dial(t, addr)
			p.sayf(says[i], "/?"+scripts[i])
			method, _, _ := strings.Cut(says[i], " ")
			got := p.answer(method)
			for last := got; strings.HasPrefix(last, "HTTP/1.1 1"); got += last {
				last = p.answer(method)
			}
			p.say("GET /?t,w1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
			if method == "HEAD" {
				got = lengthOrChunks.ReplaceAllString(got, "") // we count what is written to HEAD
			}
			got = strings.ReplaceAll(got, "Trailer: X-Field\n", "") // we announce only what can come
			all[t.Name()] = append(all[t.Name()], got+p.answer("GET"))
			p.Close()
		}
	})
	std, ours := all[t.Name()+"/std"], all[t.Name()+"/ours"]
	for i := range min(len(std), len(ours)) {
		if std[i] != ours[i] {
			t.Fatalf("seed %d, %.4s %s:\nnet/http:\n%s\nours:\n%s", seed, says[i], scripts[i], std[i], ours[i])
		}
	}
}
