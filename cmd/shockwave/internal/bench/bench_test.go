package bench

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

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/report"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/samples"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/clitest"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/account"
)

// signalled is a stop that a test says.
func signalled(t *testing.T) (s cli.Stop, first, second context.CancelFunc) {
	s.Gracefully, first = context.WithCancel(t.Context())
	s.Now, second = context.WithCancel(t.Context())
	t.Cleanup(first)
	t.Cleanup(second)
	return s, first, second
}

// pretend is a run that is over at once.
func pretend(made func() samples.Run) runFunc {
	return func(_ context.Context, cfg load.Config) (*account.Result, error) {
		res := made().Result
		cfg.Began()
		for _, s := range res.Seconds {
			cfg.Progress(s)
		}
		cfg.Ended()
		return res, nil
	}
}

// The reports go to the named files and streams.
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
		if err := on(s, pretend(samples.TenSeconds), opt, cli.Console{Out: &out, Err: &err}); err != nil {
			t.Errorf("bench %q: %v", tc.args, err)
		}
		clitest.WantText(t, "standard output", out.String(), tc.out)
		clitest.WantText(t, "standard error", err.String(), tc.err)
		if opt.jsonFile == "-" {
			var r report.Report
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

// The exit code and the error say what went wrong.
func TestBenchEndsByWhatWentWrong(t *testing.T) {
	broken := errors.New("not a single connection could be opened")
	for name, tc := range map[string]struct {
		run  runFunc
		code int
		err  string
	}{
		"all is well": {pretend(samples.TenSeconds), 0, ""},
		"errors":      {pretend(samples.BadDay), 1, "shockwave: 2,081 of 971,581 requests went wrong\n"},
		"no answer":   {pretend(samples.NothingYet), 1, "shockwave: nothing was answered\n"},
		"no connection": {func(context.Context, load.Config) (*account.Result, error) { return nil, broken }, 1,
			"shockwave: not a single connection could be opened\n"},
	} {
		t.Run(name, func(t *testing.T) {
			s, _, _ := signalled(t)
			var out, err bytes.Buffer
			con := cli.Console{Out: &out, Err: &err}
			if code := cli.ExitCode(on(s, tc.run, parsed(t, "http://127.0.0.1:1/", "/other"), con), con); code != tc.code {
				t.Errorf("exit code %d, want %d", code, tc.code)
			}
			clitest.WantText(t, "standard error", err.String(), tc.err)
		})
	}
}

// The first interrupt ends the run with a report, the second without.
func TestBenchInterrupts(t *testing.T) {
	t.Run("the first has it report what it has", func(t *testing.T) {
		s, first, _ := signalled(t)
		run := func(ctx context.Context, cfg load.Config) (*account.Result, error) {
			first()
			<-ctx.Done()
			return pretend(samples.TenSeconds)(ctx, cfg)
		}
		var out bytes.Buffer
		if err := on(s, run, parsed(t, "-d", "1m", "http://127.0.0.1:1/"), cli.Console{Out: &out, Err: &out}); err != nil {
			t.Error(err)
		}
		clitest.WantText(t, "the report", out.String(), "ended after 10.0 s of 60 s")
	})
	t.Run("the second waits for nothing", func(t *testing.T) {
		s, first, second := signalled(t)
		stuck := make(chan struct{})
		defer close(stuck)
		run := func(context.Context, load.Config) (*account.Result, error) {
			first()
			second()
			<-stuck
			return nil, nil
		}
		var out bytes.Buffer
		if err := on(s, run, parsed(t, "http://127.0.0.1:1/"), cli.Console{Out: &out, Err: &out}); !errors.Is(err, errCutOff) {
			t.Errorf("it ended with %v", err)
		}
	})
}

// More connections than descriptors are refused before the run.
func TestBenchWantsDescriptors(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("handles are bounded by memory only")
	}
	s, _, _ := signalled(t)
	never := func(context.Context, load.Config) (*account.Result, error) {
		t.Error("it was run")
		return nil, nil
	}
	err := on(s, never, parsed(t, "-c", "2000000k", "http://127.0.0.1:1/"), cli.Console{Out: new(bytes.Buffer), Err: new(bytes.Buffer)})
	if err == nil || !strings.Contains(err.Error(), "ulimit -n") {
		t.Errorf("2,000,000,000 connections: %v", err)
	}
}

// The progress is shown on a terminal and erased at the end.
func TestBenchProgress(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(&out, parsed(t, "-warmup", "2s", "http://127.0.0.1:1/"))
	p.connecting()
	if p.second(account.Second{At: time.Second}); out.Len() > 0 {
		t.Errorf("it writes to what is no terminal: %q", &out)
	}
	p.w = &out // as if it were one
	p.connecting()
	p.began()
	p.second(account.Second{At: 5 * time.Second, Requests: 182_345, Open: 64, P99: 1234 * time.Microsecond})
	p.second(account.Second{At: 6 * time.Second, Requests: 2, Errors: 3, Open: 64})
	p.second(account.Second{At: 11 * time.Second, Requests: 2, Errors: 4, Open: 64})
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

// The error of a run names the first thing that went wrong.
func TestBenchVerdict(t *testing.T) {
	for want, made := range map[string]func() samples.Run{
		"": samples.TenSeconds, "nothing was answered": samples.NothingYet, "p99<1ms does not hold: 1.10 ms": samples.BadDay,
		"nothing was answered as expected; 9 errors": func() samples.Run {
			m := samples.NothingYet()
			m.Result.Errors.Timeout = 9
			return m
		},
	} {
		got := ""
		if err := runError(made().Report()); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("the verdict is %q, want %q", got, want)
		}
	}
}
