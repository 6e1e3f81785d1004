package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load"
)

// runFunc is the type of load.Run, which tests replace.
type runFunc func(context.Context, load.Config) (*load.Result, error)

// errCutOff is the error of a run that was ended by a second signal. Such a run has no report.
var errCutOff = errors.New("interrupted twice: there is no report")

// bench generates load until the time is over or a signal comes, and reports the results.
func bench(args []string, con console) error {
	if len(args) > 0 && args[0] == "compare" {
		return benchCompare(args[1:], con)
	}
	opt, err := parseBench(args, con.stdin(), con)
	if err != nil {
		return err
	}
	s, release := onSignals()
	defer release()
	return benchOn(s, load.Run, opt, con)
}

// benchOn is bench with a parsed command line. Everything that can be checked is checked before the first connection is
// opened: a run may take hours.
func benchOn(s stop, run runFunc, opt benchOptions, con console) error {
	if err := enoughDescriptors(opt.cfg.Conns); err != nil {
		return err
	}
	for _, name := range []string{opt.jsonFile, opt.htmlFile} {
		if err := checkWritable(name); err != nil {
			return err
		}
	}
	if len(opt.sockets) > 1 {
		return benchSockets(s, run, opt, con)
	}
	r, err := benchOne(s, run, opt, con)
	if r == nil {
		return err
	}
	return errors.Join(r.publish(opt, con), err, r.runError())
}

// benchOne makes one run and returns its report, or nil if there is nothing to report. A report may come with an error:
// then the process of -pid could not be read.
func benchOne(s stop, run runFunc, opt benchOptions, con console) (*benchReport, error) {
	m, err := newMeter(opt.pid)
	if err != nil {
		return nil, err
	}
	live := newProgress(con.err, opt)
	cfg := opt.cfg
	cfg.Began = func() { m.begin(); live.began() }
	cfg.Ended = m.end
	cfg.Progress = live.second
	live.connecting()
	result, err := runUntil(s, run, cfg)
	live.clear()
	if err != nil {
		return nil, err
	}
	used, err := m.used()
	return reportFor(opt, result, used), err
}

// reportFor returns the report of a run with these options.
func reportFor(opt benchOptions, result *load.Result, used cpuUsage) *benchReport {
	r := newBenchReport(opt.cfg, result, used)
	r.Title, r.Notes, r.command = opt.title, opt.notes, opt.command
	r.judge(opt.fail)
	return r
}

// runUntil calls run and ends it at the first signal. At the second signal it returns at once, without run's result.
func runUntil(s stop, run runFunc, cfg load.Config) (*load.Result, error) {
	type outcome struct {
		result *load.Result
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		result, err := run(s.gracefully, cfg)
		done <- outcome{result, err}
	}()
	select {
	case a := <-done:
		return a.result, a.err
	case <-s.now.Done():
		return nil, errCutOff
	}
}

// publish writes the report to all outputs. If the JSON goes to standard output the text goes to standard error.
func (r *benchReport) publish(opt benchOptions, con console) error {
	people := opt.textOutput(con)
	var failed []error
	if opt.jsonFile != "" {
		failed = append(failed, writeTo(opt.jsonFile, con.out, r.writeJSON))
	}
	if opt.htmlFile != "" {
		failed = append(failed, writeTo(opt.htmlFile, con.out, func(w io.Writer) error { return r.writeHTML(w) }))
	}
	if !opt.quiet {
		failed = append(failed, r.writeText(people, onTerminal(people)))
	}
	return errors.Join(failed...)
}

// textOutput returns the writer for the text report.
func (opt *benchOptions) textOutput(con console) io.Writer {
	if opt.jsonFile == "-" {
		return con.err
	}
	return con.out
}

// runError returns an error if requests failed or a condition of -fail does not hold. It sets the program's exit code.
func (r *benchReport) runError() error {
	switch wrong := r.Errors.total(); {
	case wrong > 0 && r.Requests == 0:
		return fmt.Errorf("nothing %s; %s errors", r.ifOneWay("has left", "was answered as expected"), grouped(wrong))
	case wrong > 0 && !r.toleratesErrors:
		return fmt.Errorf("%s of %s %s went wrong", grouped(wrong), grouped(wrong+r.Requests), r.noun.many)
	case r.Requests == 0:
		return errors.New("nothing " + r.ifOneWay("has left", "was answered"))
	case r.completed() < r.askedRequests:
		return fmt.Errorf("only %s of %s %s %s", grouped(r.completed()), grouped(r.askedRequests), r.noun.many,
			r.ifOneWay("have left", "were answered"))
	}
	return failed(r.Thresholds)
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

// writeTo calls write with the named file, created or truncated; "-" is standard output.
func writeTo(name string, out io.Writer, write func(io.Writer) error) error {
	if name == "-" {
		return write(out)
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// onTerminal reports whether w is a terminal that understands escape sequences.
func onTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}
