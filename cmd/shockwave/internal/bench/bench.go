package bench

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/compare"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/limits"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/meter"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/report"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/account"
)

// runFunc is the type of load.Run, which tests replace.
type runFunc func(context.Context, load.Config) (*account.Result, error)

// errCutOff is the error of a run that was ended by a second signal. Such a run has no report.
var errCutOff = errors.New("interrupted twice: there is no report")

// Run generates load until the time is over or a signal comes, and reports the results.
func Run(args []string, con cli.Console) error {
	if len(args) > 0 && args[0] == "compare" {
		return compare.Run(args[1:], con)
	}
	opt, err := parse(args, con.Stdin(), con)
	if err != nil {
		return err
	}
	s, release := cli.OnSignals()
	defer release()
	return on(s, load.Run, opt, con)
}

// on is bench with a parsed command line. Everything that can be checked is checked before the first connection is
// opened: a run may take hours.
func on(s cli.Stop, run runFunc, opt options, con cli.Console) error {
	if err := enoughDescriptors(opt.cfg.Conns); err != nil {
		return err
	}
	for _, name := range []string{opt.jsonFile, opt.htmlFile} {
		if err := checkWritable(name); err != nil {
			return err
		}
	}
	if len(opt.sockets) > 1 {
		return sockets(s, run, opt, con)
	}
	r, err := one(s, run, opt, con)
	if r == nil {
		return err
	}
	return errors.Join(publish(r, opt, con), err, runError(r))
}

// one makes one run and returns its report, or nil if there is nothing to report. A report may come with an error:
// then the process of -pid could not be read.
func one(s cli.Stop, run runFunc, opt options, con cli.Console) (*report.Report, error) {
	m, err := meter.New(opt.pid)
	if err != nil {
		return nil, err
	}
	live := newProgress(con.Err, opt)
	cfg := opt.cfg
	cfg.Began = func() { m.Begin(); live.began() }
	cfg.Ended = m.End
	cfg.Progress = live.second
	live.connecting()
	result, err := runUntil(s, run, cfg)
	live.clear()
	if err != nil {
		return nil, err
	}
	used, err := m.Used()
	return reportFor(opt, result, used), err
}

// reportFor returns the report of a run with these options.
func reportFor(opt options, result *account.Result, used meter.Usage) *report.Report {
	r := report.New(opt.cfg, result, used)
	r.Title, r.Notes, r.Command = opt.title, opt.notes, opt.command
	limits.Judge(r, opt.fail)
	return r
}

// runUntil calls run and ends it at the first signal. At the second signal it returns at once, without run's result.
func runUntil(s cli.Stop, run runFunc, cfg load.Config) (*account.Result, error) {
	type outcome struct {
		result *account.Result
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		result, err := run(s.Gracefully, cfg)
		done <- outcome{result, err}
	}()
	select {
	case a := <-done:
		return a.result, a.err
	case <-s.Now.Done():
		return nil, errCutOff
	}
}

// textOutput returns the writer for the text report.
func (opt *options) textOutput(con cli.Console) io.Writer {
	if opt.jsonFile == "-" {
		return con.Err
	}
	return con.Out
}

// checkWritable returns an error if the named file cannot be opened for writing. It keeps the file's content.
func checkWritable(name string) error {
	if name == "" || name == "-" {
		return nil
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	return f.Close()
}
