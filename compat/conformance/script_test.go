package conformance

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// chunk is what a client does at one point: it waits, sends bytes, or closes its side.
type chunk struct {
	bytes []byte
	pause time.Duration
	fin   bool
}

// parseScript reads the lines of a script: "C: " is sent, "S: " is heard.
func parseScript(script string) ([]step, error) {
	var steps []step
	var sending strings.Builder
	flush := func() error {
		if sending.Len() == 0 {
			return nil
		}
		chunks, err := parseSend(sending.String())
		sending.Reset()
		steps = append(steps, step{send: chunks})
		return err
	}
	for _, line := range strings.Split(script, "\n") {
		who, what, _ := strings.Cut(line, ": ")
		switch who {
		case "C":
			sending.WriteString(what)
		case "S":
			if err := flush(); err != nil {
				return nil, err
			}
			hear, err := parseOutcomes(what)
			if err != nil {
				return nil, err
			}
			steps = append(steps, step{hear: hear})
		default:
			return nil, fmt.Errorf("line %q is neither C nor S", line)
		}
	}
	if sending.Len() > 0 || len(steps) == 0 {
		return nil, fmt.Errorf("a script ends with what the server says")
	}
	return steps, nil
}

// directive is a brace group in what is sent: {A*700}, {pause 20ms}, {fin}.
var directive = regexp.MustCompile(`\{(?:(fin)|pause (\w+)|((?:[^{}*]|\\\*)+)\*(\d+))\}`)

// parseSend turns visible text into chunks.
func parseSend(s string) ([]chunk, error) {
	var l chunkList
	for s != "" {
		at := directive.FindStringSubmatchIndex(s)
		if at == nil {
			at = []int{len(s), len(s)}
		}
		if err := l.text(s[:at[0]]); err != nil {
			return nil, err
		}
		if at[0] < len(s) {
			if err := l.directive(directive.FindStringSubmatch(s)); err != nil {
				return nil, err
			}
		}
		s = s[at[1]:]
	}
	l.end()
	return l.all, nil
}

// chunkList grows by text and directives; bytes that follow each other become one chunk.
type chunkList struct {
	all []chunk
	run []byte
}

// end finishes a run of bytes and adds more.
func (l *chunkList) end(more ...chunk) {
	if len(l.run) > 0 {
		l.all = append(l.all, chunk{bytes: l.run})
		l.run = nil
	}
	l.all = append(l.all, more...)
}

// text adds visible text.
func (l *chunkList) text(s string) error {
	b, err := unescape(s)
	l.run = append(l.run, b...)
	return err
}

// directive adds what a brace group asks for; m is its match.
func (l *chunkList) directive(m []string) error {
	switch {
	case m[1] != "":
		l.end(chunk{fin: true})
		return nil
	case m[2] != "":
		d, err := time.ParseDuration(m[2])
		l.end(chunk{pause: d})
		return err
	}
	unit, err := unescape(m[3])
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(m[4])
	l.run = append(l.run, bytes.Repeat(unit, n)...)
	return err
}

// unescape turns \r \n \t \xHH \\ and an escaped brace or star into bytes.
func unescape(s string) ([]byte, error) {
	var b []byte
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b = append(b, s[i])
			continue
		}
		i++
		if i == len(s) {
			return nil, fmt.Errorf("%q ends with a backslash", s)
		}
		switch s[i] {
		case 'r':
			b = append(b, '\r')
		case 'n':
			b = append(b, '\n')
		case 't':
			b = append(b, '\t')
		case '\\', '{', '}', '*':
			b = append(b, s[i])
		case 'x':
			if i+2 >= len(s) {
				return nil, fmt.Errorf("%q: \\x needs two digits", s)
			}
			v, err := strconv.ParseUint(s[i+1:i+3], 16, 8)
			if err != nil {
				return nil, err
			}
			b = append(b, byte(v))
			i += 2
		default:
			return nil, fmt.Errorf("%q: unknown escape \\%c", s, s[i])
		}
	}
	return b, nil
}

// tableRow cuts "| a | b |" into cells; "\|" is a bar within a cell.
func tableRow(line string) []string {
	line = strings.ReplaceAll(strings.TrimSpace(line), `\|`, "\x00")
	cells := strings.Split(strings.Trim(line, "|"), "|")
	for i, c := range cells {
		c = strings.TrimSpace(c)
		if len(c) >= 2 && c[0] == '`' && c[len(c)-1] == '`' {
			c = c[1 : len(c)-1]
		}
		cells[i] = strings.ReplaceAll(c, "\x00", "|")
	}
	return cells
}

// parseTable reads the table behind a script, if there is one: a row's values by the names of their columns.
func parseTable(text string) ([]map[string]string, error) {
	var columns []string
	var rows []map[string]string
	for i, line := range strings.Split(text, "\n") {
		if !strings.HasPrefix(line, "|") {
			continue
		}
		cells := tableRow(line)
		switch {
		case columns == nil:
			columns = cells
		case strings.HasPrefix(cells[0], "--"):
		case len(cells) != len(columns):
			return nil, fmt.Errorf("table line %d has %d cells, not %d", i, len(cells), len(columns))
		default:
			row := map[string]string{}
			for j, name := range columns {
				row[name] = cells[j]
			}
			rows = append(rows, row)
		}
	}
	return rows, nil
}
