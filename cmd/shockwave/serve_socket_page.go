package main

import (
	"bytes"
	_ "embed"
	"os"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave/clients/js"
	"github.com/shockwave-go/shockwave/server"
)

//go:embed socket.html
var socketHTML string

var socketTemplate = newPage("socket", socketHTML)

// socketCSP is pageCSP for a page that has the client of sockets from here, too.
var socketCSP = strings.Replace(pageCSP, "script-src ", "script-src 'self' ", 1)

// show answers with the page of the socket. Everything but what moves is in the HTML already.
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
		"Version":  version(),
	})
	if err != nil {
		w.Error(500, err.Error())
		return
	}
	guard(w.Header(), socketCSP)
	w.WriteBody("text/html; charset=utf-8", html.Bytes())
}

// sendModule answers with the module that the page uses.
func sendModule(w *server.ResponseWriter) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-cache")
	w.WriteBody("text/javascript; charset=utf-8", []byte(js.Module()))
}
