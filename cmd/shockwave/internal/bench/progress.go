package bench

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/report"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/figures"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/account"
)

// progress shows the progress of a run in one line of the terminal and removes it at the end. All methods may be called
// concurrently.
type progress struct {
	w        io.Writer // nil: not a terminal, or -quiet
	label    string    // names one of several runs, else ""
	conns    int
	total    time.Duration
	requests int64 // requested number of requests; 0: the run ends by time
	warm     time.Duration
	oneWay   bool

	mu      sync.Mutex
	settled int64
	errors  int64
}

func newProgress(w io.Writer, opt options) *progress {
	p := &progress{label: opt.label, oneWay: opt.cfg.Message.OneWay, conns: opt.cfg.Conns, total: opt.cfg.Duration, requests: opt.cfg.Requests, warm: opt.cfg.Warmup}
	if !opt.quiet && cli.OnTerminal(w) {
		p.w = w
	}
	return p
}

func (p *progress) connecting() {
	text := "opening " + figures.Counted(int64(p.conns), "connection", "connections")
	if p.warm > 0 {
		text += fmt.Sprintf(", then %v of warm-up", p.warm)
	}
	p.show(text)
}

func (p *progress) began() { p.show(p.bar(0)) }

func (p *progress) second(s account.Second) {
	p.mu.Lock()
	p.settled += s.Requests + s.Errors
	p.errors += s.Errors
	wrong := p.errors
	p.mu.Unlock()
	text := fmt.Sprintf("%s  %s/s", p.bar(s.At), figures.Grouped(s.Requests))
	if !p.oneWay {
		text += "  p99 " + figures.Microseconds(report.Micros(int64(s.P99)))
	}
	text += fmt.Sprintf("  %s open", figures.Grouped(int64(s.Open)))
	if wrong > 0 {
		text += "  \x1b[1;31m" + figures.Counted(wrong, "error", "errors") + "\x1b[0m"
	}
	p.show(text)
}

// clear removes the line.
func (p *progress) clear() { p.show("") }

// bar returns a progress bar of the time, or of the requests if their number is given.
func (p *progress) bar(passed time.Duration) string {
	const cells = 20
	done, all, scale := int64(passed), int64(p.total), fmt.Sprintf("%3.0f/%.0f s", passed.Seconds(), p.total.Seconds())
	if p.requests > 0 {
		p.mu.Lock()
		done, all = p.settled, p.requests
		p.mu.Unlock()
		scale = fmt.Sprintf("%.0f s", passed.Seconds())
	}
	full := int(cells * float64(min(done, all)) / float64(all))
	return strings.Repeat("█", full) + strings.Repeat("░", cells-full) + " " + scale
}

// show replaces the line: it returns to the beginning, erases the line and writes text. text must fit 80 columns, so
// that it does not wrap.
func (p *progress) show(text string) {
	if p.w == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.label != "" && text != "" {
		text = p.label + "  " + text
	}
	fmt.Fprintf(p.w, "\r\x1b[K%s", text)
}
