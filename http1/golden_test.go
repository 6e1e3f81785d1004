package http1

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the logs that were got into testdata, where they begin with what stands there")

// golden is one case of a file in testdata: see testdata/README.md for how they are written.
type golden struct {
	title  string
	mode   conversation // its settings
	input  []byte
	want   []string
	at, to int // lines of the file that hold want
}

// Every case of the files in testdata has the result that is written there.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.md")
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) { total += runGolden(t, file) })
	}
	if total < 250 {
		t.Errorf("only %d cases were found", total)
	}
}

func runGolden(t *testing.T, file string) int {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	cases := readGolden(t, lines)
	for i := len(cases) - 1; i >= 0; i-- { // from the end: an update moves what follows
		g := cases[i]
		t.Run(g.title, func(t *testing.T) {
			got := g.converse(nil)
			if *update && strings.HasPrefix(strings.Join(got, "\n"), strings.Join(g.want, "\n")) {
				lines = slices.Replace(lines, g.at, g.to, g.indented(got)...)
				return
			}
			g.check(t, got)
		})
	}
	if *update {
		if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return len(cases)
}

func (g *golden) converse(cuts []int) []string {
	c := g.mode
	return converse(&c, g.input, cuts)
}

// check compares the log of the input in one piece, byte by byte, and in two pieces cut everywhere.
func (g *golden) check(t *testing.T, got []string) {
	if !slices.Equal(got, g.want) {
		t.Fatalf("input %.300q\ngot:\n%s\nwant:\n%s", g.input, strings.Join(got, "\n"), strings.Join(g.want, "\n"))
	}
	if byByte := g.converse(everyByte(g.input)); !slices.Equal(byByte, got) {
		t.Errorf("byte by byte:\n%s\nin one piece:\n%s", strings.Join(byByte, "\n"), strings.Join(got, "\n"))
	}
	step := 1 + len(g.input)/2048*20 // long inputs are long runs of one byte
	for cut := 1; cut < len(g.input); cut += step {
		if two := g.converse([]int{cut}); !slices.Equal(two, got) {
			t.Fatalf("cut at %d:\n%s\nin one piece:\n%s", cut, strings.Join(two, "\n"), strings.Join(got, "\n"))
		}
	}
}

const arrow = "    => "

func (g *golden) indented(log []string) []string {
	out := make([]string, len(log))
	for i, l := range log {
		out[i] = arrow + l
	}
	return out
}

func readGolden(t testing.TB, lines []string) (cases []golden) {
	var title string
	var mode conversation
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		switch {
		case strings.HasPrefix(line, "#"):
			title = strings.TrimLeft(line, "# ")
		case strings.HasPrefix(line, "Mode: "):
			mode = readMode(t, strings.TrimPrefix(line, "Mode: "))
		case strings.HasPrefix(line, "    "):
			g := golden{title: title, mode: mode}
			for ; i < len(lines) && strings.HasPrefix(lines[i], "    ") && !strings.HasPrefix(lines[i], arrow); i++ {
				g.input = append(g.input, unescape(t, lines[i][4:])...)
			}
			g.at = i
			for ; i < len(lines) && strings.HasPrefix(lines[i], arrow); i++ {
				g.want = append(g.want, lines[i][len(arrow):])
			}
			g.to = i
			cases = append(cases, g)
		}
	}
	return cases
}

// readMode reads "request", "request tunnels" or "response to METHOD", and limits as name=number.
func readMode(t testing.TB, text string) (c conversation) {
	for _, word := range strings.Fields(text) {
		name, number, found := strings.Cut(word, "=")
		if !found {
			switch word {
			case "request", "response", "to":
			case "tunnels":
				c.tunnels = true
			default:
				c.method = word
			}
			continue
		}
		n, err := strconv.Atoi(number)
		limit, ok := map[string]*int{
			"head": &c.limits.HeadBytes, "target": &c.limits.TargetBytes, "fields": &c.limits.Fields,
			"trailer": &c.limits.TrailerBytes, "extensions": &c.limits.ExtensionBytes,
		}[name]
		if err != nil || !ok {
			t.Fatalf("mode %q", text)
		}
		*limit = n
	}
	return c
}

// unescape reads \r \n \t \\ \xHH, and \*N{text}: text N times.
func unescape(t testing.TB, s string) (out []byte) {
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			out = append(out, s[i])
			continue
		}
		i++
		switch s[i] {
		case 'r':
			out = append(out, '\r')
		case 'n':
			out = append(out, '\n')
		case 't':
			out = append(out, '\t')
		case '\\':
			out = append(out, '\\')
		case 'x':
			c, err := strconv.ParseUint(s[i+1:i+3], 16, 8)
			if err != nil {
				t.Fatalf("escape in %q", s)
			}
			out = append(out, byte(c))
			i += 2
		case '*':
			open := i + strings.IndexByte(s[i:], '{')
			end := open + strings.IndexByte(s[open:], '}')
			n, err := strconv.Atoi(s[i+1 : open])
			if err != nil {
				t.Fatalf("repetition in %q", s)
			}
			for range n {
				out = append(out, unescape(t, s[open+1:end])...)
			}
			i = end
		default:
			t.Fatalf("escape in %q", s)
		}
	}
	return out
}
