package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// parsed is parseBench on words, which fails the test if they are not understood.
func parsed(t *testing.T, args ...string) benchOptions {
	t.Helper()
	opt, err := parseBench(args, strings.NewReader("from standard input"), console{new(bytes.Buffer), new(bytes.Buffer)})
	if err != nil {
		t.Fatalf("bench %q: %v", args, err)
	}
	return opt
}

func TestBenchFlags(t *testing.T) {
	const target = "http://127.0.0.1:1/"
	opt := parsed(t, target)
	cfg := opt.cfg
	if cfg.Conns != 64 || cfg.Duration != 10*time.Second || cfg.Pipeline != 1 || cfg.Rate != 0 || cfg.Method != "GET" ||
		cfg.Timeout != 10*time.Second || cfg.Warmup != 0 || cfg.TLS != nil || cfg.URL.String() != target {
		t.Errorf("without flags: %+v", cfg)
	}
	for _, tc := range []struct {
		args string
		ok   func(benchOptions) bool
	}{
		{"-c 10k " + target, func(o benchOptions) bool { return o.cfg.Conns == 10_000 }},
		{"-c64 -d10s " + target, func(o benchOptions) bool { return o.cfg.Conns == 64 && o.cfg.Duration == 10*time.Second }},
		{"-n 3k " + target, func(o benchOptions) bool { return o.cfg.Requests == 3000 && o.cfg.Duration == longestRun }},
		{"-n5 -d 2 " + target, func(o benchOptions) bool { return o.cfg.Requests == 5 && o.cfg.Duration == 2*time.Second }},
		{"-d 2 " + target, func(o benchOptions) bool { return o.cfg.Duration == 2*time.Second }},
		{target + " -c 3 -d 1m30s", func(o benchOptions) bool { return o.cfg.Conns == 3 && o.cfg.Duration == 90*time.Second }},
		{"-c 3 " + target + " -k", func(o benchOptions) bool { return o.cfg.Conns == 3 && o.cfg.TLS.InsecureSkipVerify }},
		{"-rate 1.5k -warmup 1 " + target, func(o benchOptions) bool { return o.cfg.Rate == 1500 && o.cfg.Warmup == time.Second }},
		{"-pipeline=16 -timeout 250ms " + target, func(o benchOptions) bool {
			return o.cfg.Pipeline == 16 && o.cfg.Timeout == 250*time.Millisecond
		}},
		{"-H A:1 -H B:2 -H A:3 " + target, func(o benchOptions) bool {
			second, _ := o.cfg.Header.Next("A", 1)
			return o.cfg.Header.Len() == 3 && string(second) == "3" && o.cfg.Header.GetString("b") == "2"
		}},
		{"-X PURGE " + target, func(o benchOptions) bool { return o.cfg.Method == "PURGE" }},
		{"-body - " + target, func(o benchOptions) bool {
			return string(o.cfg.Body) == "from standard input" && o.cfg.Method == "POST"
		}},
		{"-body - -X PUT " + target, func(o benchOptions) bool { return o.cfg.Method == "PUT" }},
		{"127.0.0.1:8080/x?q", func(o benchOptions) bool { return o.cfg.URL.String() == "http://127.0.0.1:8080/x?q" }},
		{"https://[::1]:8443/#top", func(o benchOptions) bool { return o.cfg.URL.String() == "https://[::1]:8443/" }},
		{"http://me:pass@127.0.0.1/", func(o benchOptions) bool {
			return o.cfg.Header.GetString("Authorization") == "Basic bWU6cGFzcw=="
		}},
		{"-json - -html r.html -pid 12 -quiet " + target, func(o benchOptions) bool {
			return o.jsonFile == "-" && o.htmlFile == "r.html" && o.pid == 12 && o.quiet
		}},
	} {
		if opt := parsed(t, strings.Fields(tc.args)...); !tc.ok(opt) {
			t.Errorf("bench %s: %+v", tc.args, opt)
		}
	}
}

func TestBenchCommandLine(t *testing.T) {
	for _, tc := range []struct {
		args string
		code int
		err  string
	}{
		{"", 2, "bench: it takes one URL, not 0"},
		{"http://h/ http://i/", 2, "bench: it takes one URL, not 2"},
		{"ftp://h/", 2, `"ftp://h/" is no URL`},
		{"http:///path", 2, `"http:///path" is no URL`},
		{"-c 0 http://h/", 2, "-c and -pipeline want at least 1"},
		{"-pipeline 0 http://h/", 2, "-c and -pipeline want at least 1"},
		{"-c 1.5 http://h/", 2, "want a whole number"},
		{"-c -1 http://h/", 2, "want a whole number"},
		{"-n 0 http://h/", 2, "-n wants at least 1"},
		{"-n 5 -warmup 1 http://h/", 2, "it does not go with -warmup"},
		{"-d 0 http://h/", 2, "-d and -timeout want more than 0"},
		{"-d -1s http://h/", 2, "want a time"},
		{"-d soon http://h/", 2, "want a time"},
		{"-rate NaN http://h/", 2, "want a number"},
		{"-rate Inf http://h/", 2, "want a number"},
		{"-rate fast http://h/", 2, "want a number"},
		{"-H novalue http://h/", 2, "want a field"},
		{"-H a\x00b:1 http://h/", 2, "want a field"},
		{"-H a:\x01 http://h/", 2, "want a field"},
		{"-X G(T http://h/", 2, "is no method"},
		{"-pid -4 http://h/", 2, "-pid wants"},
		{"-pid 0 http://h/", 2, "-pid wants"},
		{"-html - http://h/", 2, "-html wants"},
		{"-threads 2 http://h/", 2, "not defined: -threads"},
		{"-body ./no-such-file http://h/", 1, "no-such-file"},
		{"-json ./no-such-directory/f http://h/", 1, "no-such-directory"},
		{"-html ./no-such-directory/f http://h/", 1, "no-such-directory"},
	} {
		var out, err bytes.Buffer
		if code := run(append([]string{"bench"}, strings.Fields(tc.args)...), console{&out, &err}); code != tc.code {
			t.Errorf("bench %s: exit code %d, want %d", tc.args, code, tc.code)
		}
		wantText(t, "bench "+tc.args, err.String(), tc.err)
		wantText(t, "bench "+tc.args+": standard output", out.String(), "")
	}
	var out bytes.Buffer
	if code := run([]string{"bench", "-h"}, console{&out, new(bytes.Buffer)}); code != 0 {
		t.Errorf("bench -h: exit code %d", code)
	}
	wantText(t, "bench -h", out.String(), "-pipeline")
}

func TestBenchBodyIsAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "body")
	if err := os.WriteFile(file, []byte("from a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	if opt := parsed(t, "-body", file, "http://h/"); string(opt.cfg.Body) != "from a file" {
		t.Errorf("the body is %q", opt.cfg.Body)
	}
}

// TestBenchCommandCanBeShown: the command that the page shows gives the same run, and no secret.
func TestBenchCommandCanBeShown(t *testing.T) {
	opt := parsed(t, "-k", "-H", "Authorization: Bearer 123", "-H", "X: it's", "-c", "1k", "http://me:456@h/a?b&c")
	want := `shockwave bench -H 'Authorization: …' -H 'X: it'\''s' -c 1000 -k 'http://me:xxxxx@h/a?b&c'`
	if opt.command != want {
		t.Errorf("got  %s\nwant %s", opt.command, want)
	}
}
