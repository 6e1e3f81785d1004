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

func (p *Text) Line(format string, args ...any) {
	fmt.Fprintf(p, format, args...)
	p.WriteByte('\n')
}

func (p *Text) Bold(s string) string { return p.Style("1", s) }

func (p *Text) Dim(s string) string { return p.Style("2", s) }

func (p *Text) Red(s string) string { return p.Style("1;31", s) }

// Style returns s in a style (SGR code) of ECMA-48 §8.3.117.
func (p *Text) Style(style, s string) string {
	if !p.Color {
		return s
	}
	return "\x1b[" + style + "m" + s + "\x1b[0m"
}

func (p *Text) List(findings []findings.Line) {
	for _, f := range findings {
		p.Line("  %s%s", p.Dim(PadRight(f.Name, nameWidth)), f.Text)
	}
}

func PadRight(s string, width int) string {
	return s + strings.Repeat(" ", max(1, width-utf8.RuneCountInString(s)))
}

func PadLeft(s string, width int) string {
	return strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s))) + s
}
