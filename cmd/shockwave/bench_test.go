package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load"
)

// signalled is a stop that a test says.
func signalled(t *testing.T) (s stop, first, second context.CancelFunc) {
	s.gracefully, first = context.WithCancel(t.Context())
	s.now, second = context.WithCancel(t.Context())
	t.Cleanup(first)
	t.Cleanup(second)
	return s, first, second
}

// pretend is a run that is over at once.
func pretend(made run3) runFunc {
	return func(_ context.Context, cfg load.Config) (*load.Result, error) {
		_, res, _ := made()
		cfg.Began()
		for _, s := range res.Seconds {
			cfg.Progress(s)
		}
		cfg.Ended()
		return res, nil
	}
}

func TestBenchReportsWhereItIsWanted(t *testing.T) {
	page, figures := filepath.Join(t.TempDir(), "report.html"), filepath.Join(t.TempDir(), "figures.json")
	for _, tc := range []struct {
		args     []string
		out, err string // what each side must contain; "" is nothing at all
	}{
		{nil, "96,950 requests/s", ""},
		{[]string{"-quiet"}, "", ""},
		{[]string{"-json", "-"}, `"requests": 969500,`, "96,950 requests/s"},
		{[]string{"-json", "-", "-quiet"}, `"requests": 969500,`, ""},
		{[]string{"-html", page, "-json", figures}, "96,950 requests/s", ""},
	} {
		s, _, _ := signalled(t)
		var out, err bytes.Buffer
		opt := parsed(t, append(tc.args, "http://127.0.0.1:1/")...)
		if err := benchOn(s, pretend(tenSeconds), opt, console{out: &out, err: &err}); err != nil {
			t.Errorf("bench %q: %v", tc.args, err)
		}
		wantText(t, "standard output", out.String(), tc.out)
		wantText(t, "standard error", err.String(), tc.err)
		if opt.jsonFile == "-" {
			var r benchReport
			if err := json.Unmarshal(out.Bytes(), &r); err != nil || r.URL != "http://127.0.0.1:1/" {
				t.Errorf("standard output is not the JSON alone: %v\n%s", err, &out)
			}
		}
	}
	for file, want := range map[string]string{page: "</html>", figures: `"requests": 969500,`} {
		if got, err := os.ReadFile(file); err != nil || !strings.Contains(string(got), want) {
			t.Errorf("%s does not hold %q (%v)", file, want, err)
		}
	}
}

func TestBenchEndsByWhatWentWrong(t *testing.T) {
	broken := errors.New("not a single connection could be opened")
	for name, tc := range map[string]struct {
		run  runFunc
		code int
		err  string
	}{
		"all is well": {pretend(tenSeconds), 0, ""},
		"errors":      {pretend(badDay), 1, "shockwave: 2,081 of 971,581 requests went wrong\n"},
		"no answer":   {pretend(nothingYet), 1, "shockwave: nothing was answered\n"},
		"no connection": {func(context.Context, load.Config) (*load.Result, error) { return nil, broken }, 1,
			"shockwave: not a single connection could be opened\n"},
	} {
		t.Run(name, func(t *testing.T) {
			s, _, _ := signalled(t)
			var out, err bytes.Buffer
			con := console{out: &out, err: &err}
			if code := exitCode(benchOn(s, tc.run, parsed(t, "http://127.0.0.1:1/", "/other"), con), con); code != tc.code {
				t.Errorf("exit code %d, want %d", code, tc.code)
			}
			wantText(t, "standard error", err.String(), tc.err)
		})
	}
}

func TestBenchInterrupts(t *testing.T) {
	t.Run("the first has it report what it has", func(t *testing.T) {
		s, first, _ := signalled(t)
		run := func(ctx context.Context, cfg load.Config) (*load.Result, error) {
			first()
			<-ctx.Done()
			return pretend(tenSeconds)(ctx, cfg)
		}
		var out bytes.Buffer
		if err := benchOn(s, run, parsed(t, "-d", "1m", "http://127.0.0.1:1/"), console{out: &out, err: &out}); err != nil {
			t.Error(err)
		}
		wantText(t, "the report", out.String(), "ended after 10.0 s of 60 s")
	})
	t.Run("the second waits for nothing", func(t *testing.T) {
		s, first, second := signalled(t)
		stuck := make(chan struct{})
		defer close(stuck)
		run := func(context.Context, load.Config) (*load.Result, error) {
			first()
			second()
			<-stuck
			return nil, nil
		}
		var out bytes.Buffer
		if err := benchOn(s, run, parsed(t, "http://127.0.0.1:1/"), console{out: &out, err: &out}); !errors.Is(err, errCutOff) {
			t.Errorf("it ended with %v", err)
		}
	})
}

func TestBenchWantsDescriptors(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("handles are bounded by memory only")
	}
	s, _, _ := signalled(t)
	never := func(context.Context, load.Config) (*load.Result, error) {
		t.Error("it was run")
		return nil, nil
	}
	err := benchOn(s, never, parsed(t, "-c", "2000000k", "http://127.0.0.1:1/"), console{out: new(bytes.Buffer), err: new(bytes.Buffer)})
	if err == nil || !strings.Contains(err.Error(), "ulimit -n") {
		t.Errorf("2,000,000,000 connections: %v", err)
	}
}

func TestBenchProgress(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(&out, parsed(t, "-warmup", "2s", "http://127.0.0.1:1/"))
	p.connecting()
	if p.second(load.Second{At: time.Second}); out.Len() > 0 {
		t.Errorf("it writes to what is no terminal: %q", &out)
	}
	p.w = &out // as if it were one
	p.connecting()
	p.began()
	p.second(load.Second{At: 5 * time.Second, Requests: 182_345, Open: 64, P99: 1234 * time.Microsecond})
	p.second(load.Second{At: 6 * time.Second, Requests: 2, Errors: 3, Open: 64})
	p.second(load.Second{At: 11 * time.Second, Requests: 2, Errors: 4, Open: 64})
	p.clear()
	want := []string{"",
		"opening 64 connections, then 2s of warm-up",
		"░░░░░░░░░░░░░░░░░░░░   0/10 s",
		"██████████░░░░░░░░░░   5/10 s  182,345/s  p99 1.23 ms  64 open",
		"████████████░░░░░░░░   6/10 s  2/s  p99 0  64 open  \x1b[1;31m3 errors\x1b[0m",
		"████████████████████  11/10 s  2/s  p99 0  64 open  \x1b[1;31m7 errors\x1b[0m",
		"",
	}
	if got := out.String(); got != strings.Join(want, "\r\x1b[K") {
		t.Errorf("got\n%q\nwant\n%q", got, strings.Join(want, "\r\x1b[K"))
	}
}
