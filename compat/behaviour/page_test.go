package behaviour

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

// write has TestPage write the page instead of comparing it.
var write = flag.Bool("write", false, "write docs/nethttp.md")

const (
	pagePath  = "../../docs/nethttp.md"
	pageBegin = "<!-- behaviours: begin; written by `go -C compat generate ./...` -->\n"
	pageEnd   = "<!-- behaviours: end -->\n"
	leastPart = 95 // of a hundred behaviours must be equal
)

// TestPage holds docs/nethttp.md to the rows.
func TestPage(t *testing.T) {
	page, err := os.ReadFile(pagePath)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begun := strings.Cut(string(page), pageBegin)
	_, behind, ended := strings.Cut(rest, pageEnd)
	if !begun || !ended {
		t.Fatalf("%s has lost its markers", pagePath)
	}
	section, total := describe(themes())
	if 100*total.equal < leastPart*total.rows() {
		t.Errorf("%d of %d behaviours are equal: fewer than %d %%", total.equal, total.rows(), leastPart)
	}
	now := before + pageBegin + section + pageEnd + behind
	if now == string(page) {
		return
	}
	if !*write {
		t.Fatalf("%s is not what the rows say: run `go -C compat generate ./...`", pagePath)
	}
	if err := os.WriteFile(pagePath, []byte(now), 0o644); err != nil {
		t.Fatal(err)
	}
}

// count is how many rows are equal and how many differ.
type count struct{ equal, different int }

func (c count) rows() int { return c.equal + c.different }

func (c *count) add(r *row) {
	if r.differs == "" {
		c.equal++
	} else {
		c.different++
	}
}

// describe writes what stands between the markers.
func describe(all []theme) (section string, total count) {
	var table, list strings.Builder
	table.WriteString("\n| | equal | different |\n|---|---:|---:|\n")
	for _, th := range all {
		var own count
		heading := "| **" + th.title + "** | |\n"
		for _, r := range th.rows {
			own.add(&r)
			total.add(&r)
			if r.differs != "" {
				fmt.Fprintf(&list, "%s| %s | %s |\n", heading, cell(r.name), cell(r.differs))
				heading = ""
			}
		}
		fmt.Fprintf(&table, "| %s | %d | %d |\n", th.title, own.equal, own.different)
	}
	fmt.Fprintf(&table, "| **together** | **%d** | **%d** |\n\n", total.equal, total.different)
	fmt.Fprintf(&table, "Of %d behaviours, %d are equal: %.1f %%.\n", total.rows(), total.equal, total.percent())
	table.WriteString("\nThose that differ, and why:\n\n| behaviour | ours |\n|---|---|\n")
	return table.String() + list.String() + "\n", total
}

func (c count) percent() float64 { return 100 * float64(c.equal) / float64(c.rows()) }

// cell makes text fit for a table.
func cell(text string) string { return strings.NewReplacer("|", "\\|", "*", "\\*").Replace(text) }
