package serve

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
)

// order is the sort order of a listing, as given by ?sort=size&order=desc. The listing's links set it; there is no
// script.
type order struct {
	column     string // "name", "size" or "changed"
	descending bool   // descending
}

// column is the heading of a column, with the link that a click follows.
type column struct{ Name, Link, Arrow, Sorted string }

// orderOf returns the order that query asks for; the default is by name.
func orderOf(query url.Values) order {
	o := order{column: "name", descending: query.Get("order") == "desc"}
	if c := query.Get("sort"); c == "size" || c == "changed" {
		o.column = c
	}
	return o
}

// query returns the query string for the order, "" for the default.
func (o order) query() string {
	if o == (order{column: "name"}) {
		return ""
	}
	q := "?sort=" + o.column
	if o.descending {
		q += "&order=desc"
	}
	return q
}

// sort sorts entries. Directories come before files in any order; equal entries are sorted by name.
func (o order) sort(entries []entry) {
	slices.SortFunc(entries, func(a, b entry) int {
		if a.dir != b.dir {
			if a.dir {
				return -1
			}
			return 1
		}
		by := 0
		switch o.column {
		case "size":
			by = cmp.Compare(a.bytes, b.bytes)
		case "changed":
			by = a.changed.Compare(b.changed)
		default:
			by = strings.Compare(a.Name, b.Name)
		}
		if o.descending {
			by = -by
		}
		return cmp.Or(by, strings.Compare(a.Name, b.Name))
	})
	for i := range entries {
		if entries[i].dir { // keep the order in subdirectories
			entries[i].Link += o.query()
		}
	}
}

// columns returns the headings. The link of the column that is sorted by reverses the order; sizes and times start
// descending.
func (o order) columns() []column {
	var all []column
	for _, title := range []string{"Name", "Size", "Changed"} {
		c := order{column: strings.ToLower(title)}
		shown := column{Name: title}
		if c.descending = c.column != "name"; c.column == o.column {
			c.descending = !o.descending
			shown.Arrow, shown.Sorted = "↑", "ascending"
			if o.descending {
				shown.Arrow, shown.Sorted = "↓", "descending"
			}
		}
		if shown.Link = c.query(); shown.Link == "" {
			shown.Link = "./"
		}
		all = append(all, shown)
	}
	return all
}
