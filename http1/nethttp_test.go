package http1

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"net/textproto"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave"
)

// What this package reads net/http must read too, and see the same message: it refuses less. Where it refuses more,
// the case is left out here, with the reason.

func agreesWithNetHTTP(t *testing.T, input []byte, r *Request) {
	switch {
	case bytes.HasPrefix(input, []byte("\r\n")): // net/http skips no empty lines
	case r.Form == AuthorityForm && bytes.ContainsAny(r.Authority, "%[;"):
		// net/url knows no escapes of ASCII in a registered name and no IPvFuture
	case r.Header.Has("Trailer"): // net/http refuses fields that a Trailer must not announce
	default:
		compareRequest(t, input, r)
	}
}

func compareRequest(t *testing.T, input []byte, r *Request) {
	theirs, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(input)))
	if err != nil {
		t.Fatalf("net/http refuses %q: %v", input, err)
	}
	if theirs.Method != string(r.Method) || theirs.RequestURI != string(r.Target) {
		t.Fatalf("%q: net/http reads %q %q", input, theirs.Method, theirs.RequestURI)
	}
	if theirs.Host != string(r.Host) {
		t.Fatalf("%q: net/http's host is %q, ours %q", input, theirs.Host, r.Host)
	}
	if r.Form == OriginForm && !bytes.HasPrefix(r.Path, []byte("//")) && (theirs.URL.EscapedPath() != string(r.Path) && theirs.URL.Path != mustUnescape(t, r.Path) || theirs.URL.RawQuery != string(r.Query)) {
		t.Fatalf("%q: net/http reads path %q, query %q", input, theirs.URL.EscapedPath(), theirs.URL.RawQuery)
	}
	compareFields(t, input, &r.Header, theirs.Header)
	compareBody(t, input[len(r.Header.Bytes()):], r.Framing, theirs.Body, theirs.ContentLength)
}

func mustUnescape(t *testing.T, path []byte) string {
	s, err := url.PathUnescape(string(path))
	if err != nil {
		t.Fatalf("path %q: %v", path, err)
	}
	return s
}

// compareFields checks every name but those that net/http takes out of the map.
func compareFields(t *testing.T, input []byte, ours *shockwave.Header, theirs http.Header) {
	for i := range ours.Len() {
		name, _ := ours.At(i)
		key := textproto.CanonicalMIMEHeaderKey(string(name))
		switch key {
		case "Host", "Connection", "Transfer-Encoding", "Content-Length", "Cache-Control":
			continue
		}
		var values []string
		for v, j := ours.Next(key, 0); j > 0; v, j = ours.Next(key, j) {
			values = append(values, string(v))
		}
		if !slices.Equal(theirs[key], values) {
			t.Fatalf("%q: %s is %q for net/http, %q here", input, key, theirs[key], values)
		}
	}
}

func compareBody(t *testing.T, body []byte, f Framing, theirs io.Reader, length int64) {
	rest := body
	var d Body
	d.Start(f, Limits{})
	var data []byte
	for {
		run, n, err := d.Next(rest)
		if err != nil {
			return // net/http may accept what is refused here
		}
		data, rest = append(data, run...), rest[n:]
		if n == 0 || d.Done() {
			break
		}
	}
	if d.End() != nil {
		return
	}
	if f.Delimiter == ByChunks && blankAfterSize.Match(body) {
		return
	}
	want, err := io.ReadAll(theirs)
	if err != nil || !bytes.Equal(want, data) {
		t.Fatalf("net/http reads the body %q, %v; here it is %q", want, err, data)
	}
	if known := f.Delimiter == ByLength; known && f.Length != length {
		t.Fatalf("net/http reads a length of %d, here it is %d", length, f.Length)
	}
}

func responseAgreesWithNetHTTP(t *testing.T, input []byte, method string, r *Response) {
	if r.Framing.Delimiter == NoBody && (r.Header.Has("Transfer-Encoding") || r.Header.Has("Content-Length")) {
		return // net/http looks at fields that mean nothing there
	}
	if r.Header.Has("Trailer") {
		return
	}
	theirs, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(input)), &http.Request{Method: method})
	if err != nil {
		t.Fatalf("net/http refuses %q: %v", input, err)
	}
	if theirs.StatusCode != r.Status || strings.TrimSpace(theirs.Status[3:]) != strings.TrimSpace(string(r.Reason)) {
		t.Fatalf("%q: net/http reads %q, here it is %d %q", input, theirs.Status, r.Status, r.Reason)
	}
	compareFields(t, input, &r.Header, theirs.Header)
	if r.Framing.Delimiter != NoBody {
		compareBody(t, input[len(r.Header.Bytes()):], r.Framing, theirs.Body, theirs.ContentLength)
	}
}

// blankAfterSize matches what the grammar allows and net/http refuses: white space between a size and its extensions.
var blankAfterSize = regexp.MustCompile(`(?m)^[0-9a-fA-F]+[ \t]+;`)

func chunksAgreeWithNetHTTP(t *testing.T, input, data []byte) {
	if blankAfterSize.Match(input) {
		return
	}
	theirs, err := io.ReadAll(httputil.NewChunkedReader(bytes.NewReader(input)))
	if err != nil || !bytes.Equal(theirs, data) {
		t.Fatalf("net/http reads %q, %v from %q; here it is %q", theirs, err, input, data)
	}
}

func hostAgreesWithNet(t *testing.T, s []byte) {
	if n := len(s); n > 2 && s[0] == '[' && s[n-1] == ']' && s[1]|0x20 != 'v' {
		addr, err := netip.ParseAddr(string(s[1 : n-1]))
		if want := err == nil && addr.Is6() && addr.Zone() == ""; ValidHost(s) != want {
			t.Fatalf("ValidHost(%q) = %t; net/netip: %v", s, !want, err)
		}
	}
	if len(s) == 0 || !ValidHost(s) || bytes.ContainsAny(s, "%") || s[0] == '[' && s[1]|0x20 == 'v' {
		return
	}
	u, err := url.Parse("http://" + string(s) + "/")
	if err != nil || u.Host != string(s) || u.User != nil {
		t.Fatalf("ValidHost(%q), but net/url reads %+v, %v", s, u, err)
	}
}
