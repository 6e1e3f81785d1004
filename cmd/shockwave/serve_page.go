package main

import (
	"bytes"
	"crypto/tls"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/server"
	"github.com/shockwave-go/shockwave/websocket"
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
		"bytes":   byteSize,
		"grouped": grouped,
		"style":   func() template.CSS { return template.CSS(pageCSS) },
		"parts":   func() template.JS { return template.JS(pageJS) },
	}).Parse(html))
}

// pageCSP is the page's Content-Security-Policy: inline styles and scripts, requests to this server, and nothing else.
const pageCSP = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; " +
	"img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// page is the native handler that serve uses without -dir and -proxy.
type page struct {
	socket     *liveSocket
	sampler    sampler
	statuses   statuses
	http2      shardedCounter  // requests over HTTP/2
	http3      shardedCounter  // requests over HTTP/3
	stopping   <-chan struct{} // closed when the program stops; ends event streams
	echoConfig websocket.Config
}

// connState is kept for each connection.
type connState struct {
	requests atomic.Int64
	ok       *atomic.Int64 // responses with status 200, in a shard shared with other connections
	http2    *atomic.Int64 // requests over HTTP/2, likewise
	http3    *atomic.Int64 // requests over HTTP/3, likewise
	switched bool          // the connection has become a WebSocket; not set for streams
}

// servePage serves the page until a signal comes.
func servePage(s stop, at site, cfg server.Config, opt serveOptions, log *accessLog, con console) error {
	socket, err := newLiveSocket(opt, cfg.TLSConfig, con)
	if err != nil {
		return err
	}
	defer socket.sock.Close(s.now)
	go socket.broadcastSamples(s.gracefully.Done())
	p := &page{socket: socket, stopping: s.gracefully.Done(), echoConfig: newEchoConfig(con)}
	cfg.Handler = log.native(p)
	cfg.OnConn = func(net.Listener, net.Conn) any {
		return &connState{ok: p.statuses.ok.shard(), http2: p.http2.shard(), http3: p.http3.shard()}
	}
	srv := server.NewServer(cfg)
	p.sampler = sampler{stats: srv.Stats, statuses: &p.statuses, http2: &p.http2, http3: &p.http3, start: time.Now()}
	announce(con, "open it in a browser", at, cfg.TLSConfig)
	for _, url := range socket.bound {
		fmt.Fprintf(con.out, "its socket is at %s, too\n", url)
	}
	return runServer(s, &socketServer{&webSocketServer{srv, p.echoConfig.Group}, socket.sock}, at)
}

// newEchoConfig returns the configuration of /ws, which sends every message back. It uses callbacks, so that idle connections
// need no goroutine.
func newEchoConfig(con console) websocket.Config {
	return websocket.Config{
		ReadLimit: 4 << 10,
		OnMessage: func(c *websocket.Conn, t websocket.MessageType, p []byte) { c.WriteMessage(t, p) },
		Group:     &websocket.Group{Logger: newLogger(con)},
	}
}

func (p *page) ServeHTTP(w *server.ResponseWriter, r *server.Request) {
	v := r.ConnValue().(*connState)
	switch r.ProtoMajor() {
	case 2:
		v.http2.Add(1)
	case 3:
		v.http3.Add(1)
	}
	p.answer(w, r, v)
	switch code := w.Status(); {
	case v.switched:
		p.statuses.others[101].Add(1)
	case code == 200:
		v.ok.Add(1)
	default:
		p.statuses.others[code].Add(1)
	}
}

func (p *page) answer(w *server.ResponseWriter, r *server.Request, v *connState) {
	nth := v.requests.Add(1)
	path := string(r.Path())
	if m := string(r.Method()); m != "GET" && m != "HEAD" {
		w.Header().Set("Allow", "GET, HEAD")
		w.Error(405, "this can be read, nothing else")
		return
	}
	switch path {
	case "/", "":
		p.show(w, r, nth)
	case "/connection":
		describe(w, r, nth)
	case "/counters":
		p.stream(w, r)
	case "/ws":
		whole := !r.Multiplexed()
		_, err := websocket.Upgrade(w, r, p.echoConfig) // also answers requests that are no upgrade
		if whole {
			v.switched = err == nil
		}
	case pathSocket:
		whole := !r.Multiplexed()
		v.switched = p.socket.serve(w, r) && whole
	case pathSocketPage:
		p.socket.show(w, r)
	case pathClient:
		sendModule(w)
	case pathPlaintext:
		w.WriteBody(plain, []byte(greeting))
	default:
		w.Error(404, "there is nothing here; try /")
	}
}

// connection describes the connection of a request.
type connection struct {
	Protocol  string    `json:"protocol"`
	TLS       *tlsTerms `json:"tls"`
	Remote    string    `json:"remote"`
	Local     string    `json:"local"`
	Request   int64     `json:"request"` // number of the request on this connection, from 1
	KeepAlive bool      `json:"keepAlive"`
}

// tlsTerms is the result of the TLS handshake.
type tlsTerms struct {
	Version string `json:"version"`
	Cipher  string `json:"cipher"`
	Curve   string `json:"keyExchange"`
	ALPN    string `json:"alpn"`
}

func newConnection(r *server.Request, nth int64) connection {
	c := connection{
		Protocol:  protocolOf(r, ""),
		Remote:    r.RemoteAddr().String(),
		Local:     r.LocalAddr().String(),
		Request:   nth,
		KeepAlive: r.KeepAlive(),
	}
	if s := r.TLS(); s != nil {
		c.TLS = &tlsTerms{
			Version: tls.VersionName(s.Version),
			Cipher:  tls.CipherSuiteName(s.CipherSuite),
			Curve:   s.CurveID.String(),
			ALPN:    s.NegotiatedProtocol,
		}
	}
	return c
}

// protocolOf returns the HTTP version of a request; minor is appended to "HTTP/2" and "HTTP/3".
func protocolOf(r *server.Request, minor string) string {
	switch {
	case r.ProtoMajor() == 3:
		return "HTTP/3" + minor
	case r.ProtoMajor() == 2:
		return "HTTP/2" + minor
	case r.ProtoMinor() == 0:
		return "HTTP/1.0"
	}
	return "HTTP/1.1"
}

// describe answers with the connection as JSON, for curl and for a button of the page.
func describe(w *server.ResponseWriter, r *server.Request, nth int64) {
	b, err := json.MarshalIndent(newConnection(r, nth), "", "  ")
	if err != nil {
		w.Error(500, err.Error())
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	w.WriteJSON(append(b, '\n'))
}

// show answers with the page. Its HTML is complete without scripts, except for the moving plot.
func (p *page) show(w *server.ResponseWriter, r *server.Request, nth int64) {
	c := newConnection(r, nth)
	origin := "http://" + c.Local
	if c.TLS != nil {
		origin = "https://" + c.Local
	}
	var html bytes.Buffer
	err := pageTemplate.Execute(&html, map[string]any{
		"Conn":    c,
		"Head":    headOf(r),
		"Now":     p.sampler.take(),
		"Origin":  origin,
		"Socket":  "ws" + strings.TrimPrefix(origin, "http"),
		"Program": programName(os.Args[0]),
		"Version": version(),
	})
	if err != nil {
		w.Error(500, err.Error())
		return
	}
	setSecurityHeaders(w.Header(), pageCSP)
	w.WriteBody("text/html; charset=utf-8", html.Bytes())
}

// setSecurityHeaders sets the header fields that protect a page.
func setSecurityHeaders(h *shockwave.Header, csp string) {
	h.Set("Content-Security-Policy", csp)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
}

// headOf returns the head of a request with \n line ends. For HTTP/2 and HTTP/3 it is written in the style of HTTP/1.1.
func headOf(r *server.Request) string {
	if r.ProtoMajor() < 2 {
		return strings.ReplaceAll(string(r.Header().Bytes()), "\r\n", "\n")
	}
	var head strings.Builder
	fmt.Fprintf(&head, "%s %s %s\n", r.Method(), r.Target(), protocolOf(r, ""))
	for name, value := range r.Header().All() {
		fmt.Fprintf(&head, "%s: %s\n", name, value)
	}
	return head.String()
}

// programName returns the command that starts the program again. A program built by "go run" has only a temporary file
// name.
func programName(arg0 string) string {
	if strings.Contains(arg0, "go-build") {
		return "go run ./cmd/shockwave"
	}
	return arg0
}
