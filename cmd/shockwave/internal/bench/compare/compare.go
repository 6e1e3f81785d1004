package compare

import (
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/findings"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/limits"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/plain"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/bench/report"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/figures"
)

// Run compares the reports of two runs, which -json has written.
func Run(args []string, con cli.Console) error {
	set := flag.NewFlagSet("bench compare", flag.ContinueOnError)
	var fail changes
	set.Var(&fail, "fail", "fail unless all of these `CONDITIONS` on B's change hold, such as 'p99<10%,rate>-5%'; the figures are those\n"+
		"of the first column, in one word: rate, p50, p99, max, errors, server, memory")
	files, err := cli.ParseAround(set, args, con)
	if err != nil {
		return err
	}
	if len(files) != 2 {
		return cli.UsageError(fmt.Sprintf("bench compare: it takes two files that bench -json has written, A.json B.json, not %d", len(files)))
	}
	var c comparison
	for i, name := range files {
		if c[i].Report, err = report.Read(name); err != nil {
			return err
		}
		c[i].file = name
	}
	judged := fail.judge(c.figures())
	if err := c.writeText(con.Out, judged, cli.OnTerminal(con.Out)); err != nil {
		return err
	}
	return limits.Failed(judged)
}

// writeText writes the comparison as text.
func (c *comparison) writeText(w io.Writer, judged []report.Threshold, terminal bool) error {
	p := &plain.Text{Color: terminal}
	for i, r := range c {
		title := r.Title
		if title == "" {
			title = r.file
		}
		p.Line("%s  %s: %s%s", p.Bold(string(rune('A'+i))), title, r.Subject(), r.Others())
		p.Line("   %s for %s, on %s by %s", figures.Counted(int64(r.Conns), "connection", "connections"), figures.Seconds(r.Elapsed),
			r.Date.Format("2006-01-02 15:04 MST"), r.Version)
		for _, note := range r.Notes {
			p.Line("   %s", note)
		}
	}
	if differences := c.differences(); differences != nil {
		p.Line("")
		p.Line("  %s", p.Red("The runs were not the same: "+strings.Join(differences, "; ")))
	}
	p.Line("")
	const name, column = 24, 14
	p.Line("  %s", p.Dim(plain.PadRight("", name)+plain.PadLeft("A", column)+plain.PadLeft("B", column)+plain.PadLeft("change", column)))
	for _, f := range c.figures() {
		line := plain.PadRight(f.Name, name) + plain.PadLeft(f.show(f.values[0]), column) + plain.PadLeft(f.show(f.values[1]), column) +
			plain.PadLeft(signed(f.change()), column)
		if verdict := f.verdict(); verdict != "" {
			line += "  " + colored(p, verdict)
		}
		p.Line("  %s", line)
	}
	p.Line("")
	p.Line("  %s", p.Dim("p is how likely seconds of one and the same run would differ as much (Mann and Whitney's test)."))
	if judged != nil {
		p.Line("")
		p.List(findings.Thresholds(judged))
	}
	_, err := w.Write(p.Bytes())
	return err
}

// colored returns a verdict in the color for what it says.
func colored(p *plain.Text, verdict string) string {
	switch {
	case strings.HasPrefix(verdict, "worse"):
		return p.Red(verdict)
	case strings.HasPrefix(verdict, "better"):
		return p.Style("1;32", verdict)
	}
	return p.Dim(verdict)
}
