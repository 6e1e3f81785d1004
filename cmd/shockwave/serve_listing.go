package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

//go:embed listing.html
var listingHTML string

var listingTemplate = template.Must(template.New("listing").Parse(listingHTML))

// listingCSP lets the listing use its own style and nothing else.
const listingCSP = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"

// entry is one line of a listing.
type entry struct {
	Name, Link, Size, Changed string
	dir                       bool
}

// list answers with what the directory f holds, directories first.
func list(w http.ResponseWriter, r *http.Request, f *os.File, name string) error {
	dirents, err := f.ReadDir(-1)
	if err != nil {
		return err
	}
	entries := make([]entry, 0, len(dirents))
	for _, d := range dirents {
		if e, ok := newEntry(d); ok {
			entries = append(entries, e)
		}
	}
	slices.SortFunc(entries, func(a, b entry) int {
		if a.dir != b.dir {
			if a.dir {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	})
	var page bytes.Buffer
	err = listingTemplate.Execute(&page, map[string]any{
		"Path": path.Join("/", name), "Root": name == ".", "Entries": entries,
	})
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(page.Len()))
	h.Set("Content-Security-Policy", listingCSP)
	h.Set("Cache-Control", "no-cache")
	if r.Method != http.MethodHead {
		w.Write(page.Bytes())
	}
	return nil
}

// newEntry describes d. What is neither file, directory nor link cannot be served and is left out, as is what has gone.
func newEntry(d fs.DirEntry) (entry, bool) {
	info, err := d.Info()
	if err != nil || d.Type()&^(fs.ModeDir|fs.ModeSymlink) != 0 {
		return entry{}, false
	}
	e := entry{Name: d.Name(), Link: "./" + url.PathEscape(d.Name()), dir: d.IsDir()}
	e.Changed = info.ModTime().UTC().Format("2006-01-02 15:04")
	switch {
	case d.IsDir():
		e.Name, e.Link = e.Name+"/", e.Link+"/"
	case d.Type().IsRegular():
		e.Size = byteSize(info.Size())
	}
	return e, true
}

// byteSize writes n with a binary unit and at most one decimal.
func byteSize(n int64) string {
	if n < 1<<10 {
		return fmt.Sprintf("%d B", n)
	}
	value, units := float64(n)/(1<<10), "KMGTPE"
	for value >= 1<<10 && len(units) > 1 {
		value, units = value/(1<<10), units[1:]
	}
	return fmt.Sprintf("%.1f %ciB", value, units[0])
}
