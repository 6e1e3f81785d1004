package h2peer

import (
	"strings"
	"testing"
)

// The configurations of nginx and h2o have the address, the files and the TLS settings of the peer.
func TestConfigurations(t *testing.T) {
	for _, tc := range []struct{ what, got, want string }{
		{"nginx", configureNginx("/some/where", "127.0.0.1:1", false), "listen 127.0.0.1:1 backlog=4096 http2;"},
		{"nginx over TLS", configureNginx("/some/where", "127.0.0.1:1", true), "listen 127.0.0.1:1 backlog=4096 http2 ssl;"},
		{"nginx over TLS", configureNginx("/some/where", "127.0.0.1:1", true), "ssl_certificate_key /some/where/key.pem;"},
		{"h2o", configureH2O("/some/where", "127.0.0.1:1", false), "  host: 127.0.0.1\n  port: 1\nhosts:"},
		{"h2o over TLS", configureH2O("/some/where", "127.0.0.1:1", true), "    key-file: /some/where/key.pem\nhosts:"},
		{"h2o", configureH2O("/some/where", "127.0.0.1:1", true), "      /64k:\n        file.file: /some/where/64k\n"},
	} {
		if !strings.Contains(tc.got, tc.want) {
			t.Errorf("%s: the configuration lacks %q:\n%s", tc.what, tc.want, tc.got)
		}
	}
}

// nghttpd gets its address and files as arguments, with TLS and without.
func TestNghttpdArguments(t *testing.T) {
	for withTLS, want := range map[bool]string{
		false: "-a 127.0.0.1 -d /d --no-tls 1", true: "-a 127.0.0.1 -d /d 1 /d/key.pem /d/certificate.pem",
	} {
		if got, err := nghttpdArguments("/d", "127.0.0.1:1", withTLS); err != nil || strings.Join(got, " ") != want {
			t.Errorf("%q, %v; want %q", got, err, want)
		}
	}
}

// Only peers that are programs are looked for and started as programs.
func TestOnlyProgramsCanBeFound(t *testing.T) {
	for _, name := range All {
		path, err := Find(name)
		if program := name == Nghttpd || name == Nginx || name == H2O; program != (path != "" || err != nil) {
			t.Errorf("%s: got %q, %v", name, path, err)
		}
	}
	if err := Become(Native, t.TempDir(), "127.0.0.1:1", false); err == nil || !strings.Contains(err.Error(), "is no program") {
		t.Errorf(`got %v; want an error that says "is no program"`, err)
	}
}
