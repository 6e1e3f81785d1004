package handshake

import (
	"slices"
	"testing"
)

// A page may connect if its origin is the host of the request or is listed (RFC 6455 §10.2).
func TestOrigins(t *testing.T) {
	for _, tc := range []struct {
		origin  string
		allowed []string
		want    bool
	}{
		{"http://server.example.com", nil, true},
		{"https://SERVER.example.com", nil, true},
		{"http://server.example.com:8080", nil, false},
		{"http://example.com", nil, false},
		{"http://example.com", []string{"example.com"}, true},
		{"http://a.example.com", []string{"*.example.com"}, true},
		{"http://a.b.example.com", []string{"*.example.com"}, false},
		{"http://evilexample.com", []string{"*.example.com", "*example"}, false},
		{"https://example.com", []string{"https://example.com"}, true},
		{"http://example.com", []string{"https://example.com"}, false},
		{"null", []string{"example.com"}, false},
		{"null", []string{"*"}, true},
		{"http://anything", []string{"*"}, true},
		{"http://[::1]:3000", []string{"[::1]:3000"}, true},
		{"http://[::2]:3000", []string{"http://[::*]:3000"}, true},
		{"http://[::1]:3000", []string{"[::1]:4000", "[::1]"}, false},
		{"http://a", []string{"[ab]", "?", `\\a`}, false},
		{"https://example.com", []string{"https://example.com:443"}, true},
		{"https://example.com:443", []string{"https://*.com", "example.org"}, true},
		{"https://example.com:443", []string{"example.com"}, true},
		{"https://example.com", []string{"example.com:443"}, true},
		{"http://example.com", []string{"example.com:443", "http://example.com:443"}, false},
		{"http://example.com:8443", []string{"example.com"}, false},
	} {
		s := &Settings{Origins: tc.allowed}
		if got := s.allows([]string{tc.origin}, "server.example.com"); got != tc.want {
			t.Errorf("%q with %q: got %v, want %v", tc.origin, tc.allowed, got, tc.want)
		}
	}
	for _, tc := range []struct {
		origin, host string
		want         bool
	}{
		{"https://a.example", "a.example:443", true},
		{"HTTPS://A.example:443", "a.example", true},
		{"http://a.example", "a.example:80", true},
		{"http://[::1]", "[::1]:80", true},
		{"http://a.example", "a.example:443", false},
		{"https://a.example", "a.example:80", false},
		{"https://a.example", "a.example:8443", false},
		{"https://a.example:8443", "a.example:443", false},
		{"app://a.example", "a.example:443", false},
	} {
		if got := new(Settings).allows([]string{tc.origin}, tc.host); got != tc.want {
			t.Errorf("a page of %s to %s: got %v, want %v", tc.origin, tc.host, got, tc.want)
		}
	}
	s := new(Settings)
	if !s.allows(nil, "a") || s.allows([]string{"http://a", "http://a"}, "a") {
		t.Error("no origin is let through, two are not")
	}
}

// CheckOrigin decides alone about every request but one with two origins.
func TestCheckOrigin(t *testing.T) {
	var asked []string
	answer := true
	s := &Settings{Origins: []string{"*"}, CheckOrigin: func(origin, host string) bool {
		asked = append(asked, origin+" to "+host)
		return answer
	}}
	for _, origins := range [][]string{nil, {"https://b"}, {"http://a"}, {"https://b", "https://b"}} {
		answer = true
		if got := s.allows(origins, "a"); got != (len(origins) < 2) {
			t.Errorf("%q, allowed: %v", origins, got)
		}
		if answer = false; s.allows(origins, "a") {
			t.Errorf("%q, not allowed: it is", origins)
		}
	}
	if want := []string{" to a", " to a", "https://b to a", "https://b to a", "http://a to a", "http://a to a"}; !slices.Equal(asked, want) {
		t.Errorf("asked %q", asked)
	}
}
