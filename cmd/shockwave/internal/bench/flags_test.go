package bench

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/clitest"
)

// parsed is parse on words, which fails the test if they are not understood.
func parsed(t *testing.T, args ...string) options {
	t.Helper()
	opt, err := parse(args, strings.NewReader("from standard input"), cli.Console{Out: new(bytes.Buffer), Err: new(bytes.Buffer)})
	if err != nil {
		t.Fatalf("bench %q: %v", args, err)
	}
	return opt
}

// Each flag sets what it says, and flags that do not fit are refused.
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
		ok   func(options) bool
	}{
		{"-c 10k " + target, func(o options) bool { return o.cfg.Conns == 10_000 }},
		{"-c64 -d10s " + target, func(o options) bool { return o.cfg.Conns == 64 && o.cfg.Duration == 10*time.Second }},
		{"-n 3k " + target, func(o options) bool { return o.cfg.Requests == 3000 && o.cfg.Duration == longestRun }},
		{"-n5 -d 2 " + target, func(o options) bool { return o.cfg.Requests == 5 && o.cfg.Duration == 2*time.Second }},
		{"-d 2 " + target, func(o options) bool { return o.cfg.Duration == 2*time.Second }},
		{target + " -c 3 -d 1m30s", func(o options) bool { return o.cfg.Conns == 3 && o.cfg.Duration == 90*time.Second }},
		{"-c 3 " + target + " -k", func(o options) bool { return o.cfg.Conns == 3 && o.cfg.TLS.InsecureSkipVerify }},
		{"-rate 1.5k -warmup 1 " + target, func(o options) bool { return o.cfg.Rate == 1500 && o.cfg.Warmup == time.Second }},
		{"-pipeline=16 -timeout 250ms " + target, func(o options) bool {
			return o.cfg.Pipeline == 16 && o.cfg.Timeout == 250*time.Millisecond
		}},
		{"-H A:1 -H B:2 -H A:3 " + target, func(o options) bool {
			second, _ := o.cfg.Header.Next("A", 1)
			return o.cfg.Header.Len() == 3 && string(second) == "3" && o.cfg.Header.GetString("b") == "2"
		}},
		{"-X PURGE " + target, func(o options) bool { return o.cfg.Method == "PURGE" }},
		{"-body - " + target, func(o options) bool {
			return string(o.cfg.Body) == "from standard input" && o.cfg.Method == "POST"
		}},
		{"-data {} " + target, func(o options) bool { return string(o.cfg.Body) == "{}" && o.cfg.Method == "POST" }},
		{"-data @- " + target, func(o options) bool { return string(o.cfg.Body) == "from standard input" }},
		{"-same " + target, func(o options) bool { return o.cfg.Same }},
		{target + "a /b?c " + target, func(o options) bool {
			return len(o.cfg.More) == 2 && o.cfg.More[0].String() == target+"b?c" && o.cfg.More[1].String() == target
		}},
		{"-fail p99<20ms,errors<=0.1% -fail rate>5k " + target, func(o options) bool {
			return len(o.fail) == 3 && o.fail[0].Bound == 20_000 && o.fail[1].Share && o.fail[2].Bound == 5000 && o.fail[1].Op == "<="
		}},
		{"-title One -note two -note three " + target, func(o options) bool {
			return o.title == "One" && o.notes.String() == "two; three"
		}},
		{"-body - -X PUT " + target, func(o options) bool { return o.cfg.Method == "PUT" }},
		{"127.0.0.1:8080/x?q", func(o options) bool { return o.cfg.URL.String() == "http://127.0.0.1:8080/x?q" }},
		{"https://[::1]:8443/#top", func(o options) bool { return o.cfg.URL.String() == "https://[::1]:8443/" }},
		{"http://me:pass@127.0.0.1/", func(o options) bool {
			return o.cfg.Header.GetString("Authorization") == "Basic bWU6cGFzcw=="
		}},
		{"-size 100 tcp://h:1 tls://h:2/ ws://h/x", func(o options) bool {
			return len(o.sockets) == 3 && o.cfg.Message.Size == 100 && len(o.cfg.More) == 0 && o.sockets[2].Path == "/x"
		}},
		{"-one-way tcp://h:1", func(o options) bool { return o.cfg.Message.OneWay && o.cfg.Pipeline == 32<<10/(64+16) }},
		{"-one-way -size 64k tcp://h:1", func(o options) bool { return o.cfg.Pipeline == 1 }},
		{"-one-way -pipeline 1 tcp://h:1", func(o options) bool { return o.cfg.Pipeline == 1 }},
		{"-prefixed tcp://h:1 ws://a:b@h/ ws://c:d@h/", func(o options) bool {
			a, b, c := o.forSocket(o.sockets[0], ""), o.forSocket(o.sockets[1], ""), o.forSocket(o.sockets[2], "")
			return !a.cfg.Message.Prefixed && b.cfg.Message.Prefixed && !a.cfg.Header.Has("Authorization") &&
				b.cfg.Header.GetString("Authorization") == "Basic YTpi" && c.cfg.Header.GetString("Authorization") == "Basic Yzpk"
		}},
		{"-json - -html r.html -pid 12 -quiet " + target, func(o options) bool {
			return o.jsonFile == "-" && o.htmlFile == "r.html" && o.pid == 12 && o.quiet
		}},
	} {
		if opt := parsed(t, strings.Fields(tc.args)...); !tc.ok(opt) {
			t.Errorf("bench %s: %+v", tc.args, opt)
		}
	}
}

// The shown command line repeats the run.
func TestBenchCommandLine(t *testing.T) {
	for _, tc := range []struct {
		args string
		code int
		err  string
	}{
		{"", 2, "bench: it takes a URL"},
		{"http://h/ http://i/", 2, "http://i/ is not at http://h"},
		{"http://h/ http://h:81/", 2, "all URLs must be of one server"},
		{"-urls ./no-such-file http://h/", 1, "no-such-file"},
		{"-urls flags_test.go http://h/", 2, "is not a URL"},
		{"/path http://h/", 2, `"/path" is not a URL`},
		{"ws://h/ http://h/x", 2, "are measured by requests and by messages"},
		{"http://h/ tcp://h:1", 2, "are measured by requests and by messages"},
		{"tcp://h", 2, `"tcp://h" is not a URL such as tcp://127.0.0.1:5555`},
		{"tls://h:1/x", 2, `"tls://h:1/x" is not a URL`},
		{"tcp://me@h:1", 2, "is not a URL"},
		{"tcp://h:1?q", 2, "is not a URL"},
		{"tcp://h:1 /x", 2, `"/x" is not a path at tcp://h:1`},
		{"-text ws://h/ tcp://h:1", 2, "-text is about WebSocket; tcp://h:1 is not"},
		{"-deflate tls://h:1", 2, "-deflate is about WebSocket; tls://h:1 is not"},
		{"-H a:b tcp://h:1", 2, "-H is about WebSocket"},
		{"-prefixed tcp://h:1 tls://h:1", 2, "-prefixed is about ws:// and wss://"},
		{"-prefixed -text ws://h:1", 2, "neither text nor compressed"},
		{"-one-way http://h", 2, "-one-way is about messages"},
		{"-same tcp://h:1", 2, "-same is about requests"},
		{"ftp://h/", 2, `"ftp://h/" is not a URL`},
		{"http:///path", 2, `"http:///path" is not a URL`},
		{"-c 0 http://h/", 2, "bench: -c wants at least 1"},
		{"-pipeline 0 http://h/", 2, "bench: -pipeline wants at least 1"},
		{"-c 1.5 http://h/", 2, "want a whole number"},
		{"-c -1 http://h/", 2, "want a whole number"},
		{"-n 0 http://h/", 2, "-n wants at least 1"},
		{"-n 5 -warmup 1 http://h/", 2, "it does not go with -warmup"},
		{"-d 0 http://h/", 2, "bench: -d wants more than 0"},
		{"-timeout 0 http://h/", 2, "bench: -timeout wants more than 0"},
		{"-d {} http://h/", 2, "a body is given with -data"},
		{"-data x -body y http://h/", 2, "-data and -body exclude each other"},
		{"-urls - -body - http://h/", 2, "cannot both be standard input"},
		{"-urls - -data @- http://h/", 2, "cannot both be standard input"},
		{"-data @./no-such-file http://h/", 1, "no-such-file"},
		{"-fail p99 http://h/", 2, "for flag -fail"},
		{"-fail p99<20 http://h/", 2, "want a time such as 20ms"},
		{"-fail errors<x% http://h/", 2, "want a part such as 0.1%"},
		{"-fail errors<101% http://h/", 2, "want a part such as 0.1%"},
		{"-fail rate<fast http://h/", 2, "want a number"},
		{"-fail taste>1 http://h/", 2, "there is no figure"},
		{"-fail p99<1ms,, http://h/", 2, "is not a condition"},
		{"-d -1s http://h/", 2, "want a time"},
		{"-d soon http://h/", 2, "want a time"},
		{"-rate NaN http://h/", 2, "want a number"},
		{"-rate Inf http://h/", 2, "want a number"},
		{"-rate fast http://h/", 2, "want a number"},
		{"-H novalue http://h/", 2, "want a field"},
		{"-H a\x00b:1 http://h/", 2, "want a field"},
		{"-H a:\x01 http://h/", 2, "want a field"},
		{"-X G(T http://h/", 2, "is not a method"},
		{"-pid -4 http://h/", 2, "-pid wants"},
		{"-pid 0 http://h/", 2, "-pid wants"},
		{"-html - http://h/", 2, "-html wants"},
		{"-threads 2 http://h/", 2, "not defined: -threads"},
		{"-body ./no-such-file http://h/", 1, "no-such-file"},
		{"-json ./no-such-directory/f http://h/", 1, "no-such-directory"},
		{"-html ./no-such-directory/f http://h/", 1, "no-such-directory"},
	} {
		var out, err bytes.Buffer
		if code := program(append([]string{"bench"}, strings.Fields(tc.args)...), cli.Console{Out: &out, Err: &err}); code != tc.code {
			t.Errorf("bench %s: exit code %d, want %d", tc.args, code, tc.code)
		}
		clitest.WantText(t, "bench "+tc.args, err.String(), tc.err)
		clitest.WantText(t, "bench "+tc.args+": standard output", out.String(), "")
	}
	var out bytes.Buffer
	if code := program([]string{"bench", "-h"}, cli.Console{Out: &out, Err: new(bytes.Buffer)}); code != 0 {
		t.Errorf("bench -h: exit code %d", code)
	}
	clitest.WantText(t, "bench -h", out.String(), "-pipeline")
}

// A body comes from a file or from standard input.
func TestBenchBodyIsAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "body")
	if err := os.WriteFile(file, []byte("from a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	if opt := parsed(t, "-body", file, "http://h/"); string(opt.cfg.Body) != "from a file" {
		t.Errorf("the body is %q", opt.cfg.Body)
	}
}

// The shown command line has no secret.
func TestBenchCommandCanBeShown(t *testing.T) {
	opt := parsed(t, "-k", "-H", "Authorization: Bearer 123", "-H", "X: it's", "-c", "1k", "http://me:456@h/a?b&c")
	want := `shockwave bench -H 'Authorization: …' -H 'X: it'\''s' -c 1000 -k 'http://me:xxxxx@h/a?b&c'`
	if opt.command != want {
		t.Errorf("got  %s\nwant %s", opt.command, want)
	}
	opt = parsed(t, "-note", "a b", "-note", "c", "-fail", "p99 < 20ms", "-fail", "max<1s", "http://me:456@h/a", "/b c")
	want = `shockwave bench -fail 'p99<20ms' -fail 'max<1s' -note 'a b' -note c http://me:xxxxx@h/a '/b c'`
	if opt.command != want {
		t.Errorf("got  %s\nwant %s", opt.command, want)
	}
}

// URLs are read from a file, without comments.
func TestBenchReadsURLs(t *testing.T) {
	file := filepath.Join(t.TempDir(), "urls")
	if err := os.WriteFile(file, []byte("# ours\n/a\n\n http://h/b?c#d \r\n/%2e"), 0o600); err != nil {
		t.Fatal(err)
	}
	opt := parsed(t, "-urls", file, "http://me:pass@h/")
	got := opt.cfg.URL.String()
	for _, u := range opt.cfg.More {
		got += " " + u.String()
	}
	if want := "http://me:pass@h/ http://h/a http://h/b?c http://h/%2e"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
