package serve

import (
	"bytes"
	_ "embed"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"strconv"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/figures"
)

//go:embed listing.html
var listingHTML string

var listingTemplate = template.Must(template.New("listing").Parse(listingHTML))

// listingCSP is the Content-Security-Policy of a listing: its own inline style and nothing else.
const listingCSP = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"

// entry is one line of a listing.
type entry struct {
	Name, Link, Size, Changed string
	dir                       bool
	bytes                     int64
	changed                   time.Time
}

// list answers with a listing of the directory dir, whose name is name.
func (s *files) list(w http.ResponseWriter, r *http.Request, dir *os.File, name string) error {
	entries, err := s.entries(dir, name)
	if err != nil {
		return err
	}
	var page bytes.Buffer
	by := orderOf(r.URL.Query())
	by.sort(entries)
	err = listingTemplate.Execute(&page, map[string]any{
		"Path": path.Join("/", name), "Root": name == ".", "Entries": entries, "Columns": by.columns(),
		"Parent": "../" + by.query(),
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

// entries returns the visible entries of the directory dir, whose name is name.
func (s *files) entries(dir *os.File, name string) ([]entry, error) {
	found, err := dir.ReadDir(-1)
	if err != nil {
		return nil, err
	}
	entries := make([]entry, 0, len(found))
	for _, d := range found {
		if s.hides(d.Name()) {
			continue
		}
		// Root.Stat follows symbolic links as a request would. Links that lead outside and files that are gone by now
		// fail here and are left out.
		info, err := s.root.Stat(path.Join(name, d.Name()))
		if err == nil && (info.IsDir() || info.Mode().IsRegular()) {
			entries = append(entries, newEntry(d.Name(), info))
		}
	}
	return entries, nil
}

func newEntry(name string, info fs.FileInfo) entry {
	e := entry{
		Name:    name,
		Link:    "./" + url.PathEscape(name), // with "./" a name such as "a:b" is not taken for a URL with a scheme
		Changed: info.ModTime().UTC().Format("2006-01-02 15:04"),
		dir:     info.IsDir(),
		changed: info.ModTime(),
	}
	if e.dir {
		e.Name, e.Link = e.Name+"/", e.Link+"/"
	} else {
		e.bytes, e.Size = info.Size(), figures.ByteSize(info.Size())
	}
	return e
}
