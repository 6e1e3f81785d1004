package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load"
)

// Read reads a report that -json has written.
func Read(name string) (*Report, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(b, []byte("[")) {
		return nil, fmt.Errorf("%s holds the reports of several runs; one of them is compared with one", name)
	}
	r := &Report{Run: Run{Noun: Requests}}
	if err := json.Unmarshal(b, r); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if r.Version == "" || r.URL == "" {
		return nil, fmt.Errorf("%s is not a report of bench -json", name)
	}
	if u, err := url.Parse(r.URL); err == nil && load.CarriesMessages(u) {
		r.Noun = Messages
	}
	return r, nil
}

// WriteJSON writes the report as JSON.
func (r *Report) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}
