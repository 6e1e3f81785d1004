package serve

import (
	_ "embed"
	"html/template"
	"strings"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/figures"
)

// The sources of the pages. Every page includes page.css and page.js.
var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageCSS string
	//go:embed page.js
	pageJS string
)

var pageTemplate = newPage("page", pageHTML)

// newPage returns the template of a page.
func newPage(name, html string) *template.Template {
	return template.Must(template.New(name).Funcs(template.FuncMap{
		"bytes":   figures.ByteSize,
		"grouped": figures.Grouped,
		"style":   func() template.CSS { return template.CSS(pageCSS) },
		"parts":   func() template.JS { return template.JS(pageJS) },
	}).Parse(html))
}

// pageCSP is the page's Content-Security-Policy: inline styles and scripts, requests to this server, and nothing else.
const pageCSP = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; " +
	"img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// setSecurityHeaders sets the header fields that protect a page.
func setSecurityHeaders(h *shockwave.Header, csp string) {
	h.Set("Content-Security-Policy", csp)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
}

// programName returns the command that starts the program again. A program built by "go run" has only a temporary file
// name.
func programName(arg0 string) string {
	if strings.Contains(arg0, "go-build") {
		return "go run ./cmd/shockwave"
	}
	return arg0
}
