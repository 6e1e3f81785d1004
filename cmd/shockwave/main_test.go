package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestCommandLine(t *testing.T) {
	for _, tc := range []struct {
		args     string
		code     int
		out, err string // what each side must contain; "" is nothing at all
	}{
		{"", 2, "", "shockwave serve"},
		{"help", 0, "shockwave bench", ""},
		{"help serve", 0, "-proxy", ""},
		{"help help", 0, "shockwave bench", ""},
		{"help server", 2, "", `no command "server"`},
		{"-h", 0, "shockwave echo", ""},
		{"version", 0, "shockwave ", ""},
		{"server", 2, "", `no command "server"`},
		{"serve -h", 0, "-proxy", ""},
		{"serve -port 80", 2, "", "serve: flag provided but not defined: -port"},
		{"serve here", 2, "", `serve: unexpected argument "here"`},
		{"serve -dir . -proxy http://127.0.0.1:1", 2, "", "exclude each other"},
		{"serve -dotfiles", 2, "", "-dotfiles is about the files of -dir"},
		{"serve -rewrite-host", 2, "", "-rewrite-host is about the service of -proxy"},
		{"serve -addr 127.0.0.1:0 -log ./no-such-directory/log", 1, "", "no-such-directory"},
		{"serve -proxy 127.0.0.1:3000", 2, "", "serve: -proxy wants a URL"},
		{"serve -proxy ftp://127.0.0.1", 2, "", "serve: -proxy wants a URL"},
		{"serve -addr 127.0.0.1:0 -dir ./no-such-directory", 1, "", "no-such-directory"},
		{"serve -addr 127.0.0.1:no-such-port", 1, "", "no-such-port"},
		{"bench", 2, "", "bench: it takes a URL"},
		{"bench compare", 2, "", "bench compare: it takes two files"},
		{"bench compare -h", 0, "-fail", ""},
		{"bench -h", 0, "-pipeline", ""},
		{"get", 2, "", "get: it takes a URL"},
		{"get -h", 0, "-timeout", ""},
		{"get -h", 0, "Exit codes: 0 if every URL", ""},
		{"get -c 0 http://127.0.0.1:1/", 2, "", "get: -c wants at least 1"},
		{"get -timeout -1s http://127.0.0.1:1/", 2, "", "want a time"},
		{"socket", 2, "", "socket: it takes -bind URL or -connect URL"},
		{"socket -h", 0, "-max-message", ""},
		{"socket -h", 0, "-slow POLICY", ""},
		{"socket -bind http://127.0.0.1:80", 2, "", "the scheme is not tcp"},
		{"socket -bind tcp://127.0.0.1", 2, "", "no port"},
		{"socket -bind tcp://127.0.0.1:65536", 2, "", "up to 65535"},
		{"socket -bind tcp://127.0.0.1:0/path", 2, "", "a path has no meaning"},
		{"socket -bind ws://127.0.0.1:0/path?query", 2, "", "a query has no meaning"},
		{"socket -bind tcp://127.0.0.1:0 tcp://127.0.0.1:0", 2, "", "unexpected argument"},
		{"socket -bind tcp://127.0.0.1:0 -cert a", 2, "", "-cert and -key belong together"},
		{"socket -bind tcp://127.0.0.1:0 -slow never", 2, "", "want block, fail, drop or close"},
		{"socket -bind tcp://127.0.0.1:0 -last-id 0", 2, "", "-last-id wants"},
		{"socket -bind tcp://127.0.0.1:0 -last-id 4294967296", 2, "", "-last-id wants"},
		{"socket -bind tcp://127.0.0.1:0 -redial 2s,1s", 2, "", "shorter than the first"},
		{"socket -bind tcp://127.0.0.1:0 -max-message 1XB", 2, "", "want a number of bytes"},
		{"socket -bind tcp://127.0.0.1:0 -subprotocol a,,b", 2, "", "want words with commas"},
		{"socket -bind ws://127.0.0.1:0 -prefixed -text", 2, "", "exclude each other"},
		{"socket -bind tls://127.0.0.1:0 -cert ./none -key ./none", 1, "", "none"},
		{"socket -connect tls://127.0.0.1:1 -ca ./none", 1, "", "none"},
		{"socket -bind tcp://192.0.2.1:5555", 1, "", "192.0.2.1"},
		{"gateway", 2, "", "gateway: it takes -listen URL and -to PATH=URL"},
		{"gateway -h", 0, "-half-close", ""},
		{"gateway -listen ws://127.0.0.1:0", 2, "", "it takes -listen URL and -to PATH=URL"},
		{"gateway -to /=tcp://127.0.0.1:1", 2, "", "it takes -listen URL and -to PATH=URL"},
		{"gateway -listen http://127.0.0.1:0", 2, "", "the scheme is not ws or wss"},
		{"gateway -listen ws://127.0.0.1:0/path", 2, "", "paths belong to -to"},
		{"gateway -listen ws://127.0.0.1:65536", 2, "", "up to 65535"},
		{"gateway -listen ws://127.0.0.1:0 -to /a=tcp://h:1 -to /a=tcp://h:2", 2, "", "/a leads to tcp://h:1 already"},
		{"gateway -listen ws://127.0.0.1:0 -to /a=http://h:1", 2, "", "the scheme is not tcp or tls"},
		{"gateway -listen ws://127.0.0.1:0 -to /a=tcp://h:1 -raw -text", 2, "", "exclude each other"},
		{"gateway -listen ws://127.0.0.1:0 -to /a=tcp://h:1 -cert a", 2, "", "-cert and -key belong together"},
		{"gateway -listen ws://127.0.0.1:0 -to /a=tcp://h:1 -max-message 1XB", 2, "", "want a number of bytes"},
		{"gateway -listen ws://127.0.0.1:0 -to /a=tcp://h:1 -idle soon", 2, "", "want a time"},
		{"gateway -listen wss://127.0.0.1:0 -to /a=tcp://h:1 -cert ./none -key ./none", 1, "", "none"},
		{"gateway -listen ws://127.0.0.1:0 -to /a=tls://h:1 -ca ./none", 1, "", "none"},
		{"gateway -listen ws://127.0.0.1:0 -to /a=tcp://h:1 -log ./no-such-directory/log", 1, "", "no-such-directory"},
		{"gateway -listen ws://192.0.2.1:80 -to /a=tcp://h:1", 1, "", "192.0.2.1"},
		{"echo", 2, "", "echo: -addr HOST:PORT is missing"},
		{"echo -h", 0, "-native", ""},
		{"echo -addr 127.0.0.1:no-such-port", 1, "", "no-such-port"},
	} {
		t.Run(tc.args, func(t *testing.T) {
			var out, err bytes.Buffer
			if code := run(strings.Fields(tc.args), console{out: &out, err: &err}); code != tc.code {
				t.Errorf("exit code %d, want %d", code, tc.code)
			}
			wantText(t, "standard output", out.String(), tc.out)
			wantText(t, "standard error", err.String(), tc.err)
		})
	}
}

func wantText(t *testing.T, where, got, want string) {
	t.Helper()
	if want == "" && got != "" || !strings.Contains(got, want) {
		t.Errorf("%s:\n%s\nwant %q", where, got, want)
	}
}

func TestProgramName(t *testing.T) {
	for arg0, want := range map[string]string{
		"shockwave":             "shockwave",
		"./shockwave":           "./shockwave",
		"/usr/bin/shockwave":    "/usr/bin/shockwave",
		"/x/go-build1/exe/main": "go run ./cmd/shockwave",
	} {
		if got := programName(arg0); got != want {
			t.Errorf("programName(%q) = %q, want %q", arg0, got, want)
		}
	}
}
