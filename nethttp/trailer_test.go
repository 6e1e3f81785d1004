package nethttp_test

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/nethttp"
)

// maybeTrailers are fields of every kind; allowedTrailers are those that may stand in a trailer section.
var (
	maybeTrailers = strings.Fields(`Accept Accept-Charset Accept-Encoding Accept-Language Accept-Ranges Age Allow
		Authorization Cache-Control Connection Content-Digest Content-Disposition Content-Encoding Content-Language
		Content-Length Content-Location Content-Range Content-Type Cookie Date Etag Expect Expires From Host If-Match
		If-Modified-Since If-None-Match If-Range If-Schedule-Tag-Match If-Unmodified-Since Keep-Alive Last-Modified Link
		Location Max-Forwards Origin Pragma Proxy-Authenticate Proxy-Authorization Proxy-Connection Range Realm Referer
		Retry-After Server Server-Timing Set-Cookie Te Trailer Transfer-Encoding Upgrade User-Agent Vary Via Warning
		Www-Authenticate X-Sum`)
	allowedTrailers = strings.Fields(`Accept Accept-Charset Accept-Encoding Accept-Language Accept-Ranges Allow
		Content-Digest Etag From If-Schedule-Tag-Match Last-Modified Link Origin Realm Referer Server Server-Timing
		User-Agent Via X-Sum`)
)

// names returns the keys of h in order, and those that have values.
func names(h http.Header) (all, filled []string) {
	for _, key := range slices.Sorted(maps.Keys(h)) {
		all = append(all, key)
		if len(h[key]) > 0 {
			filled = append(filled, key)
		}
	}
	return all, filled
}

// Of all fields announced and set as trailers, of a request or a response, those that may be trailers arrive.
func TestTrailersComeAsAnnounced(t *testing.T) {
	announcement := strings.Join(maybeTrailers, ", ")
	report := make(chan string, 1)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		announced, _ := names(r.Trailer)
		io.Copy(io.Discard, r.Body)
		_, came := names(r.Trailer)
		report <- fmt.Sprint(announced, came)
		w.Header().Set("Trailer", announcement)
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		for _, name := range maybeTrailers {
			w.Header().Set(name, "v")
		}
	})
	p := dial(t, serveOurs(t, &nethttp.Server{Handler: h, ErrorLog: quiet()}))
	framing := strings.NewReplacer("Content-Length, ", "", "Transfer-Encoding, ", "", "Trailer, ", "") // refused there
	p.sayf("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTrailer: %s\r\n\r\n0\r\n",
		framing.Replace(announcement))
	for _, name := range maybeTrailers {
		p.sayf("%s: v\r\n", name)
	}
	p.say("\r\n")
	want := fmt.Sprint(allowedTrailers, allowedTrailers)
	if got := <-report; got != want {
		t.Errorf("of the request:\n%s\nwant\n%s", got, want)
	}
	res, err := http.ReadResponse(p.in, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	announced, _ := names(res.Trailer)
	io.Copy(io.Discard, res.Body)
	_, came := names(res.Trailer)
	if got := fmt.Sprint(announced, came); got != want {
		t.Errorf("of the response:\n%s\nwant\n%s", got, want)
	}
}
