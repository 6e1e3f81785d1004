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
	w     io.Writer // nil: nobody is watching
	conns int
	total time.Duration
	warm  time.Duration

	mu     sync.Mutex
	errors int64
}

func newProgress(w io.Writer, opt benchOptions) *progress {
	p := &progress{conns: opt.cfg.Conns, total: opt.cfg.Duration, warm: opt.cfg.Warmup}
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
	p.errors += s.Errors
	wrong := p.errors
	p.mu.Unlock()
	text := fmt.Sprintf("%s  %s/s  p99 %s  %s open", p.bar(s.At), grouped(s.Requests),
		microseconds(micros(int64(s.P99))), grouped(int64(s.Open)))
	if wrong > 0 {
		text += "  \x1b[1;31m" + counted(wrong, "error", "errors") + "\x1b[0m"
	}
	p.show(text)
}

// clear takes the line away.
func (p *progress) clear() { p.show("") }

// bar shows how much of the time has passed.
func (p *progress) bar(passed time.Duration) string {
	const cells = 20
	full := int(cells * min(passed, p.total) / p.total)
	return fmt.Sprintf("%s%s %3.0f/%.0f s", strings.Repeat("█", full), strings.Repeat("░", cells-full),
		passed.Seconds(), p.total.Seconds())
}

// show replaces the line: back to its beginning, erase it, write. A text fits 80 columns, so that it is one line.
func (p *progress) show(text string) {
	if p.w == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintf(p.w, "\r\x1b[K%s", text)
}
