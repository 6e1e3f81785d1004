package plain

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/findings"
)

const (
	nameWidth  = 14 // width of the column of names
	countWidth = 9  // width of the column of error counts
)

// Text collects the text of a report.
type Text struct {
	bytes.Buffer
	Color bool
}

// Line adds a line.
func (p *Text) Line(format string, args ...any) {
	fmt.Fprintf(p, format, args...)
	p.WriteByte('\n')
}

// Bold returns s in bold.
func (p *Text) Bold(s string) string { return p.Style("1", s) }

// Dim returns s dimmed.
func (p *Text) Dim(s string) string { return p.Style("2", s) }

// Red returns s in bold red.
func (p *Text) Red(s string) string { return p.Style("1;31", s) }

// Style returns s in a style (SGR code) of ECMA-48 §8.3.117.
func (p *Text) Style(style, s string) string {
	if !p.Color {
		return s
	}
	return "\x1b[" + style + "m" + s + "\x1b[0m"
}

// List adds a line for each finding.
func (p *Text) List(findings []findings.Line) {
	for _, f := range findings {
		p.Line("  %s%s", p.Dim(PadRight(f.Name, nameWidth)), f.Text)
	}
}

// PadRight returns s with spaces behind it, at least one.
func PadRight(s string, width int) string {
	return s + strings.Repeat(" ", max(1, width-utf8.RuneCountInString(s)))
}

// PadLeft returns s with spaces in front of it.
func PadLeft(s string, width int) string {
	return strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s))) + s
}
