package nethttp_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// The fields of a response have net/http's order, for users that compare bytes.
func TestOrderOfFields(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/sniff" {
			w.Header().Set("Content-Type", "text/plain")
		}
		w.Header().Add("Link", "<a>")
		w.Header().Add("Link", "<b>")
		w.Header().Set("X-Tail", "x")
		switch r.URL.Path {
		case "/404":
			w.WriteHeader(404)
		case "/early":
			w.WriteHeader(http.StatusEarlyHints)
		case "/date":
			w.Header().Set("Date", "Thu, 01 Jan 1970 00:00:00 GMT")
		}
		io.WriteString(w, "hello")
	})
	heads := map[string][]string{}
	onBoth(t, h, func(t *testing.T, addr string) {
		for _, path := range []string{"/", "/404", "/early", "/date", "/sniff"} {
			p := dial(t, addr)
			p.sayf("GET %s HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", path)
			answer, err := io.ReadAll(p.in)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for line := range strings.SplitSeq(string(answer), "\r\n") {
				name, value, _ := strings.Cut(line, ":")
				if name != "Date" {
					name += value
				}
				names = append(names, name)
			}
			if heads[path] == nil {
				heads[path] = names
			} else if !slices.Equal(names, heads[path]) {
				t.Errorf("%s:\n%q\nand net/http\n%q", path, names, heads[path])
			}
		}
	})
}
