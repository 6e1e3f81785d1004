package bench

import (
	"errors"
	"fmt"
	"io"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/limits"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/page"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/plain"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/report"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/figures"
)

// publish writes the report to all outputs. If the JSON goes to standard output the text goes to standard error.
func publish(r *report.Report, opt options, con cli.Console) error {
	people := opt.textOutput(con)
	var failed []error
	if opt.jsonFile != "" {
		failed = append(failed, cli.WriteTo(opt.jsonFile, con.Out, r.WriteJSON))
	}
	if opt.htmlFile != "" {
		failed = append(failed, cli.WriteTo(opt.htmlFile, con.Out, func(w io.Writer) error { return page.Write(w, r) }))
	}
	if !opt.quiet {
		failed = append(failed, plain.Write(people, r, cli.OnTerminal(people)))
	}
	return errors.Join(failed...)
}

// runError returns an error if requests failed or a condition of -fail does not hold. It sets the program's exit code.
func runError(r *report.Report) error {
	switch wrong := r.Errors.Total(); {
	case wrong > 0 && r.Requests == 0:
		return fmt.Errorf("nothing %s; %s errors", r.IfOneWay("has left", "was answered as expected"), figures.Grouped(wrong))
	case wrong > 0 && !r.ToleratesErrors:
		return fmt.Errorf("%s of %s %s went wrong", figures.Grouped(wrong), figures.Grouped(wrong+r.Requests), r.Noun.Many)
	case r.Requests == 0:
		return errors.New("nothing " + r.IfOneWay("has left", "was answered"))
	case r.Completed() < r.AskedRequests:
		return fmt.Errorf("only %s of %s %s %s", figures.Grouped(r.Completed()), figures.Grouped(r.AskedRequests), r.Noun.Many,
			r.IfOneWay("have left", "were answered"))
	}
	return limits.Failed(r.Thresholds)
}
