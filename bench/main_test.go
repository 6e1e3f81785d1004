package main

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/bench/internal/http1"
)

// TestMain also makes the test's program the one that the tests start as peers and as holders of connections.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && commands[os.Args[1]] != nil {
		os.Exit(run(context.Background(), os.Args[1:], console{os.Stdin, os.Stdout, os.Stderr}))
	}
	os.Exit(m.Run())
}

// said runs a command line and returns what it printed, and its exit code.
func said(t *testing.T, args ...string) (out, errors string, code int) {
	t.Helper()
	var o, e strings.Builder
	code = run(t.Context(), args, console{strings.NewReader(""), &o, &e})
	return o.String(), e.String(), code
}

// Each command line has this exit code and prints this.
func TestCommandLines(t *testing.T) {
	for _, tc := range []struct {
		line string
		code int
		out  string // on standard output or, if it fails, on the other
		need string // the program without which the line is skipped
	}{
		{"", 0, "go run . http1", ""},
		{"help", 0, "go run . report", ""},
		{"fly", 2, `there is no command "fly"`, ""},
		{"http1 -list", 0, "in all", ""},
		{"http1 -list -only ^plaintext-1$", 0, "13 bytes, 1 connection", ""},
		{"http1 -list -only nothing", 2, "no scenario matches", ""},
		{"http1 -only [", 2, "-only:", ""},
		{"http1 -peers native,apache", 2, `unknown peer "apache"`, ""},
		{"http2 -list", 0, "in all", ""},
		{"http2 -list -only ^grpc$ -peers grpc-go", 0, "unary calls of gRPC", "h2load"},
		{"http2 -peers fasthttp", 2, `unknown peer "fasthttp"`, ""},
		{"http3 -list", 0, "in all", ""},
		{"http3 -list -only ^handshakes$ -peers quic-go", 0, "each request on a new connection", ""},
		{"http3 -list -only ^idle$ -peers caddy", 2, "no scenario matches", ""},
		{"http3 -peers nginx", 2, `unknown peer "nginx"`, ""},
		{"websocket -list", 0, "in all", ""},
		{"websocket -list -only ^echo-64-100$", 0, "echo of 64 bytes, 100 connections", ""},
		{"websocket -peers nginx", 2, `unknown peer "nginx"`, ""},
		{"client -list", 0, "in all", ""},
		{"client -list -only ^proxy -peers nginx", 0, "with a pool of buffers", "nginx"},
		{"client -peers native", 2, `unknown peer "native"`, ""},
		{"sockets -list -only ^oneway-64-tcp$ -peers recv,net", 0, "one way, 64 bytes, tcp", ""},
		{"sockets -peers native", 2, `unknown peer "native"`, ""},
		{"serve -peer apache -socket tcp", 2, `unknown peer "apache"`, ""},
		{"serve -peer net -socket ws", 2, "has no WebSocket", ""},
		{"serve -peer net -socket udp", 2, `no transport "udp"`, ""},
		{"far -peers recv,apache", 2, `unknown peer "apache"`, ""},
		{"far -peers beast", 2, "only measured on one host", ""},
		{"drive -peer net -size 4", 2, "8 bytes or more", ""},
		{"drive -peer apache", 2, `unknown peer "apache"`, ""},
		{"ask -peer native", 2, `unknown client "native"`, ""},
		{"http1 -markdown", 2, "-markdown needs -json", ""},
		{"http1 -rounds 0", 2, "must be greater than 0", ""},
		{"http1 plaintext", 2, `unexpected "plaintext"`, ""},
		{"http1 -h", 0, "", ""},
		{"report", 2, "report needs -json", ""},
		{"report -json testdata/none.json", 1, "no results of a known suite", ""},
		{"serve -peer apache", 2, `unknown peer "apache"`, ""},
		{"serve -peer gws -tls", 2, "gws is measured without TLS", ""},
		{"serve -peer gws -http2", 2, `unknown peer "gws" of HTTP/2`, ""},
		{"serve -peer net/http -http3", 2, `unknown peer "net/http" of HTTP/3`, ""},
		{"serve -peer caddy -http3", 2, "caddy needs -dir", ""},
		{"serve -peer nginx -tls", 2, "nginx is measured without TLS", ""},
	} {
		if _, err := exec.LookPath(tc.need); tc.need != "" && err != nil {
			t.Logf("skipped: %q needs %s", tc.line, tc.need)
			continue
		}
		out, errors, code := said(t, strings.Fields(tc.line)...)
		text := out
		if tc.code != 0 {
			text = errors
		}
		if code != tc.code || !strings.Contains(text, tc.out) {
			t.Errorf("%q: exit code %d, %q; want %d, %q", tc.line, code, text, tc.code, tc.out)
		}
	}
}

// The recorded command is the command line, with quotes and variables of the environment.
func TestTheCommandIsKeptAsItWasTyped(t *testing.T) {
	t.Setenv("SHOCKWAVE_LOOP", "plain")
	opt, err := parseMeasure(http1.Suite(), []string{"-only", "^(a|b)$", "-d", "1s"}, console{})
	if want := "SHOCKWAVE_LOOP=plain go run . http1 -only '^(a|b)$' -d 1s"; err != nil || opt.command != want {
		t.Errorf("the command is %q, %v; want %q", opt.command, err, want)
	}
}
