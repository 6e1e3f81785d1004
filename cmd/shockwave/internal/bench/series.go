package bench

import (
	"errors"
	"fmt"
	"io"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/page"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/plain"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/series"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
)

// sockets makes a run at each of several sockets, reports each one as it ends, and finally compares them in a
// table. If a run fails the others are still made.
func sockets(s cli.Stop, run runFunc, opt options, con cli.Console) error {
	var all series.Series
	var failed []error
	for i, u := range opt.sockets {
		t := series.Run{URL: u, Err: series.ErrNotBegun}
		if i == 0 || s.Gracefully.Err() == nil {
			label := fmt.Sprintf("%d of %d: %s", i+1, len(opt.sockets), u.Scheme)
			t.Report, t.Err = one(s, run, opt.forSocket(u, label), con)
		}
		if errors.Is(t.Err, errCutOff) {
			return t.Err
		}
		if t.Err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", u.Redacted(), t.Err))
		}
		if t.Report != nil {
			if err := runError(t.Report); err != nil {
				failed = append(failed, fmt.Errorf("%s: %w", u.Redacted(), err))
			}
			if people := opt.textOutput(con); !opt.quiet {
				failed = append(failed, plain.Write(people, t.Report, cli.OnTerminal(people)), newLine(people))
			}
		}
		all = append(all, t)
	}
	return errors.Join(append([]error{publishAll(all, opt, con)}, failed...)...)
}

func newLine(w io.Writer) error {
	_, err := io.WriteString(w, "\n")
	return err
}

// publishAll writes the results of all runs to all outputs.
func publishAll(all series.Series, opt options, con cli.Console) error {
	var failed []error
	if opt.jsonFile != "" {
		failed = append(failed, cli.WriteTo(opt.jsonFile, con.Out, all.WriteJSON))
	}
	if opt.htmlFile != "" {
		failed = append(failed, cli.WriteTo(opt.htmlFile, con.Out, func(w io.Writer) error { return page.WriteSeries(w, all) }))
	}
	if people := opt.textOutput(con); !opt.quiet {
		failed = append(failed, all.WriteText(people, cli.OnTerminal(people)))
	}
	return errors.Join(failed...)
}
