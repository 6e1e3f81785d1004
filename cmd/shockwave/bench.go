package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load"
)

// drive is load.Run, or what a test puts in its place.
type drive func(context.Context, load.Config) (*load.Result, error)

// errCutOff is how a run ends at the second interrupt: there is nothing to report.
var errCutOff = errors.New("interrupted twice: there is no report")

// bench drives load at a URL until its time is over or it is interrupted, and reports what came of it.
func bench(args []string, con console) error {
	if len(args) > 0 && args[0] == "compare" {
		return benchCompare(args[1:], con)
	}
	opt, err := parseBench(args, os.Stdin, con)
	if err != nil {
		return err
	}
	s, release := onSignals()
	defer release()
	return benchOn(s, load.Run, opt, con)
}

// benchOn is bench with a parsed command line. Whatever can be seen to be wrong is said before the first connection is
// opened, not after an hour.
func benchOn(s stop, run drive, opt benchOptions, con console) error {
	if err := enoughDescriptors(opt.cfg.Conns); err != nil {
		return err
	}
	for _, name := range []string{opt.jsonFile, opt.htmlFile} {
		if err := writable(name); err != nil {
			return err
		}
	}
	if len(opt.sockets) > 1 {
		return benchInTurn(s, run, opt, con)
	}
	r, err := benchOne(s, run, opt, con)
	if r == nil {
		return err
	}
	return errors.Join(r.publish(opt, con), err, r.verdict())
}

// benchOne drives one run, and returns its report; nil if there is nothing to report. The error may be about the process of
// -pid alone.
func benchOne(s stop, run drive, opt benchOptions, con console) (*benchReport, error) {
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
	return newBenchReport(opt, result, used), err
}

// runUntil is run until the first interrupt at most; the second one does not even wait for the account.
func runUntil(s stop, run drive, cfg load.Config) (*load.Result, error) {
	type account struct {
		result *load.Result
		err    error
	}
	done := make(chan account, 1)
	go func() {
		result, err := run(s.gracefully, cfg)
		done <- account{result, err}
	}()
	select {
	case a := <-done:
		return a.result, a.err
	case <-s.now.Done():
		return nil, errCutOff
	}
}

// publish writes the report everywhere it is wanted. Standard output is for one reader: with the JSON there, people
// read on standard error.
func (r *benchReport) publish(opt benchOptions, con console) error {
	people := opt.people(con)
	var failed []error
	if opt.jsonFile != "" {
		failed = append(failed, writeTo(opt.jsonFile, con.out, r.writeJSON))
	}
	if opt.htmlFile != "" {
		failed = append(failed, writeTo(opt.htmlFile, con.out, r.writeHTML))
	}
	if !opt.quiet {
		failed = append(failed, r.writeText(people, onTerminal(people)))
	}
	return errors.Join(failed...)
}

// people is where people read.
func (opt *benchOptions) people(con console) io.Writer {
	if opt.jsonFile == "-" {
		return con.err
	}
	return con.out
}

// verdict is an error if anything went wrong, or is not as -fail wants it, so that scripts see it in the exit code.
func (r *benchReport) verdict() error {
	switch wrong := r.Errors.total(); {
	case wrong > 0 && r.Requests == 0:
		return fmt.Errorf("nothing %s; %s errors", r.ifOneWay("has left", "was answered as expected"), grouped(wrong))
	case wrong > 0 && !r.toleratesErrors:
		return fmt.Errorf("%s of %s %s went wrong", grouped(wrong), grouped(wrong+r.Requests), r.what.many)
	case r.Requests == 0:
		return errors.New("nothing " + r.ifOneWay("has left", "was answered"))
	case r.settled() < r.askedRequests:
		return fmt.Errorf("only %s of %s %s %s", grouped(r.settled()), grouped(r.askedRequests), r.what.many,
			r.ifOneWay("have left", "were answered"))
	}
	return failed(r.Thresholds)
}

// writable reports whether the file can be written, and leaves what is in it.
func writable(name string) error {
	if name == "" || name == "-" {
		return nil
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	return f.Close()
}

// writeTo has write fill the named file; "-" is standard output.
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

// onTerminal reports whether a person reads w as it is written.
func onTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}
