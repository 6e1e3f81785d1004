package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load"
)

// progress is the one line that tells on a terminal how a run goes, and is gone when it is over. Its methods may be
// called from any goroutine.
type progress struct {
	w        io.Writer // nil: nobody is watching
	label    string    // which of several runs it is; "" of one
	conns    int
	total    time.Duration
	requests int64 // how many are to be answered; 0: the time decides
	warm     time.Duration
	oneWay   bool

	mu      sync.Mutex
	settled int64
	errors  int64
}

func newProgress(w io.Writer, opt benchOptions) *progress {
	p := &progress{label: opt.label, oneWay: opt.cfg.Message.OneWay, conns: opt.cfg.Conns, total: opt.cfg.Duration, requests: opt.cfg.Requests, warm: opt.cfg.Warmup}
	if !opt.quiet && onTerminal(w) {
		p.w = w
	}
	return p
}

func (p *progress) connecting() {
	text := "opening " + counted(int64(p.conns), "connection", "connections")
	if p.warm > 0 {
		text += fmt.Sprintf(", then %v of warm-up", p.warm)
	}
	p.show(text)
}

func (p *progress) began() { p.show(p.bar(0)) }

func (p *progress) second(s load.Second) {
	p.mu.Lock()
	p.settled += s.Requests + s.Errors
	p.errors += s.Errors
	wrong := p.errors
	p.mu.Unlock()
	text := fmt.Sprintf("%s  %s/s", p.bar(s.At), grouped(s.Requests))
	if !p.oneWay {
		text += "  p99 " + microseconds(micros(int64(s.P99)))
	}
	text += fmt.Sprintf("  %s open", grouped(int64(s.Open)))
	if wrong > 0 {
		text += "  \x1b[1;31m" + counted(wrong, "error", "errors") + "\x1b[0m"
	}
	p.show(text)
}

// clear takes the line away.
func (p *progress) clear() { p.show("") }

// bar shows how much of the time has passed, or how many of the requests have been answered.
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

// show replaces the line: back to its beginning, erase it, write. A text fits 80 columns, so that it is one line.
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
