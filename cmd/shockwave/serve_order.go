package main

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
)

// order is how a listing is sorted, as ?sort=size&order=desc says: links do it, no script.
type order struct {
	column string // "name", "size" or "changed"
	down   bool   // the largest first
}

// column is a column's title, and where a click on it leads.
type column struct{ Name, Link, Arrow, Sorted string }

// orderOf reads a query. What it does not understand is by name.
func orderOf(query url.Values) order {
	o := order{column: "name", down: query.Get("order") == "desc"}
	if c := query.Get("sort"); c == "size" || c == "changed" {
		o.column = c
	}
	return o
}

// query is how a link asks for the same order; "" is the usual one.
func (o order) query() string {
	if o == (order{column: "name"}) {
		return ""
	}
	q := "?sort=" + o.column
	if o.down {
		q += "&order=desc"
	}
	return q
}

// sort sorts: directories come before files whatever the order, and what is equal goes by name.
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
		if o.down {
			by = -by
		}
		return cmp.Or(by, strings.Compare(a.Name, b.Name))
	})
	for i := range entries {
		if entries[i].dir { // who has sorted goes on so below
			entries[i].Link += o.query()
		}
	}
}

// columns are the titles. The one that is sorted by turns the order round; a size or a time begins with the largest.
func (o order) columns() []column {
	var all []column
	for _, title := range []string{"Name", "Size", "Changed"} {
		c := order{column: strings.ToLower(title)}
		shown := column{Name: title}
		if c.down = c.column != "name"; c.column == o.column {
			c.down = !o.down
			shown.Arrow, shown.Sorted = "↑", "ascending"
			if o.down {
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
