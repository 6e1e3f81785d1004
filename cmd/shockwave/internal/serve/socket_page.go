package serve

import (
	"bytes"
	_ "embed"
	"os"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave/clients/js"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
	"github.com/shockwave-go/shockwave/server"
)

//go:embed socket.html
var socketHTML string

var socketTemplate = newPage("socket", socketHTML)

// socketCSP is pageCSP for a page that also loads the JavaScript client from this server.
var socketCSP = strings.Replace(pageCSP, "script-src ", "script-src 'self' ", 1)

// show answers with the socket's page. Its HTML is complete without scripts, except for the live values.
func (l *liveSocket) show(w *server.ResponseWriter, r *server.Request) {
	secure := r.TLS() != nil
	scheme, k := "ws", ""
	if secure {
		scheme, k = "wss", "-k "
	}
	var html bytes.Buffer
	err := socketTemplate.Execute(&html, map[string]any{
		"Now":      l.sample(time.Now()),
		"Socket":   scheme + "://" + r.LocalAddr().String() + pathSocket,
		"K":        k,
		"Insecure": secure,
		"Bound":    l.bound,
		"Program":  programName(os.Args[0]),
		"Version":  cli.Version(),
	})
	if err != nil {
		w.Error(500, err.Error())
		return
	}
	setSecurityHeaders(w.Header(), socketCSP)
	w.WriteBody("text/html; charset=utf-8", html.Bytes())
}

// sendModule answers with the JavaScript client.
func sendModule(w *server.ResponseWriter) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-cache")
	w.WriteBody("text/javascript; charset=utf-8", []byte(js.Module()))
}
