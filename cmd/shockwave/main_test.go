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
		{"echo", 2, "", "echo: -addr HOST:PORT is missing"},
		{"echo -h", 0, "-native", ""},
		{"echo -addr 127.0.0.1:no-such-port", 1, "", "no-such-port"},
	} {
		t.Run(tc.args, func(t *testing.T) {
			var out, err bytes.Buffer
			if code := run(strings.Fields(tc.args), console{&out, &err}); code != tc.code {
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
