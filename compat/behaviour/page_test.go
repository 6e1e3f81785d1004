package behaviour

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

// write has TestPage write the page instead of comparing it.
var write = flag.Bool("write", false, "write docs/nethttp-differences.md")

const (
	pagePath  = "../../docs/nethttp-differences.md"
	pageBegin = "<!-- behaviours: begin; written by `go -C compat generate ./...` -->\n"
	pageEnd   = "<!-- behaviours: end -->\n"
	leastPart = 95 // of a hundred behaviours must be equal
)

// The counts and reasons in docs/nethttp-differences.md are those of the rows.
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

// over2 is count over HTTP/2, where not every row is.
func (th *theme) over2() (c count) {
	fates, _ := h2Fates()
	for _, r := range th.rows {
		switch fate, otherwise := fates[th.name+"/"+r.name]; {
		case !otherwise:
			c.equal++
		case !fate.none:
			c.different++
		}
	}
	return c
}

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
	var total2 count
	table.WriteString("\n| | equal | different | over HTTP/2: equal | different |\n|---|---:|---:|---:|---:|\n")
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
		own2 := th.over2()
		total2.equal, total2.different = total2.equal+own2.equal, total2.different+own2.different
		fmt.Fprintf(&table, "| %s | %d | %d | %d | %d |\n", th.title, own.equal, own.different, own2.equal, own2.different)
	}
	fmt.Fprintf(&table, "| **together** | **%d** | **%d** | **%d** | **%d** |\n\n", total.equal, total.different, total2.equal, total2.different)
	fmt.Fprintf(&table, "Of %d behaviours, %d are equal: %.1f %%. Over HTTP/2, with net/http's own HTTP/2 as the measure, %d of %d are: %.1f %%.\n",
		total.rows(), total.equal, total.percent(), total2.equal, total2.rows(), total2.percent())
	table.WriteString("The others do not exist there.\n\nThose that differ, and why:\n\n| behaviour | ours |\n|---|---|\n")
	return table.String() + list.String() + "\n" + describeOver2(all) + describeOver3(all), total
}

// describeOver2 writes what differs over HTTP/2, by reasons.
func describeOver2(all []theme) string {
	fates, whys := h2Fates()
	return "Those that differ over HTTP/2:\n\n| behaviours | ours |\n|---|---|\n" + byReason(all, fates, whys)
}

// describeOver3 writes what differs between HTTP/3 and HTTP/2.
func describeOver3(all []theme) string {
	over2, _ := h2Fates()
	fates, whys := h3Fates()
	var c count
	for _, th := range all {
		for _, r := range th.rows {
			id := th.name + "/" + r.name
			switch fate, otherwise := fates[id]; {
			case over2[id].none || fate.none:
			case otherwise:
				c.different++
			default:
				c.equal++
			}
		}
	}
	return fmt.Sprintf("Over HTTP/3 (module http3), with ours over HTTP/2 as the measure, %d of %d are equal. The others:\n\n"+
		"| behaviours | over HTTP/3 |\n|---|---|\n", c.equal, c.rows()) + byReason(all, fates, whys)
}

// byReason lists the rows that differ, for each reason.
func byReason(all []theme, fates map[string]rowFate, whys []string) string {
	var list strings.Builder
	for _, why := range whys {
		var names []string
		for _, th := range all {
			for _, r := range th.rows {
				if fate, ok := fates[th.name+"/"+r.name]; ok && !fate.none && fate.why == why {
					names = append(names, cell(r.name))
				}
			}
		}
		if len(names) > 0 {
			fmt.Fprintf(&list, "| %s | %s |\n", strings.Join(names, "; "), cell(why))
		}
	}
	return list.String() + "\n"
}

func (c count) percent() float64 { return 100 * float64(c.equal) / float64(c.rows()) }

// cell makes text fit for a table.
func cell(text string) string { return strings.NewReplacer("|", "\\|", "*", "\\*").Replace(text) }
