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

// What the pages are made of: page.css and page.js are parts of each.
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

// pageCSP lets the page use what stands in it and the resources below, and nothing from anywhere else.
const pageCSP = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; " +
	"img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// page is what serve shows without -dir and -proxy: a native handler.
type page struct {
	socket   *liveSocket
	sampler  sampler
	statuses statuses
	http2    spread          // requests
	stopping <-chan struct{} // event streams end when it is closed
	trips    websocket.Config
}

// visit is kept for each connection.
type visit struct {
	requests atomic.Int64
	fine     *atomic.Int64 // answers with status 200, of this connection and others
	http2    *atomic.Int64 // requests over HTTP/2, likewise
	switched bool          // it is WebSocket's now; on HTTP/2 only a stream is
}

// servePage serves the page on l until s says stop.
func servePage(s stop, l net.Listener, cfg server.Config, opt serveOptions, log *accessLog, con console) error {
	socket, err := newLiveSocket(opt, cfg.TLSConfig, con)
	if err != nil {
		l.Close()
		return err
	}
	defer socket.sock.Close(s.now)
	go socket.tell(s.gracefully.Done())
	p := &page{socket: socket, stopping: s.gracefully.Done(), trips: roundTrips(con)}
	cfg.Handler = log.native(p)
	cfg.OnConn = func(net.Listener, net.Conn) any { return &visit{fine: p.statuses.fine.share(), http2: p.http2.share()} }
	srv := server.NewServer(cfg)
	p.sampler = sampler{stats: srv.Stats, statuses: &p.statuses, http2: &p.http2, start: time.Now()}
	announce(con, "open it in a browser", l, cfg.TLSConfig)
	for _, url := range socket.bound {
		fmt.Fprintf(con.out, "its socket is at %s, too\n", url)
	}
	return runServer(s, &socketFront{&talker{srv, p.trips.Group}, socket.sock}, l, cfg.TLSConfig != nil)
}

// roundTrips is how /ws answers: with what it is told, by callbacks, so that an idle page costs no goroutine.
func roundTrips(con console) websocket.Config {
	return websocket.Config{
		ReadLimit: 4 << 10,
		OnMessage: func(c *websocket.Conn, t websocket.MessageType, p []byte) { c.WriteMessage(t, p) },
		Group:     &websocket.Group{Logger: newLogger(con)},
	}
}

func (p *page) ServeHTTP(w *server.ResponseWriter, r *server.Request) {
	v := r.ConnValue().(*visit)
	if r.Major() == 2 {
		v.http2.Add(1)
	}
	p.answer(w, r, v)
	switch code := w.Status(); {
	case v.switched:
		p.statuses.others[101].Add(1)
	case code == 200:
		v.fine.Add(1)
	default:
		p.statuses.others[code].Add(1)
	}
}

func (p *page) answer(w *server.ResponseWriter, r *server.Request, v *visit) {
	nth := v.requests.Add(1)
	path := string(r.Path())
	tunnel := (path == "/ws" || path == pathSocket) && len(r.Header().Get(":protocol")) > 0 // RFC 8441 §4: the method is CONNECT
	if m := string(r.Method()); m != "GET" && m != "HEAD" && !tunnel {
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
		whole := r.Major() < 2
		_, err := websocket.Upgrade(w, r, p.trips) // which answers what is no upgrade, too
		if whole {
			v.switched = err == nil
		}
	case pathSocket:
		switched := p.socket.serve(w, r)
		v.switched = switched && r.Major() < 2
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

// connection is what the page says about the connection that a request came over.
type connection struct {
	Protocol  string    `json:"protocol"`
	TLS       *tlsTerms `json:"tls"`
	Remote    string    `json:"remote"`
	Local     string    `json:"local"`
	Request   int64     `json:"request"` // its number on this connection, from 1
	KeepAlive bool      `json:"keepAlive"`
}

// tlsTerms is what the handshake agreed on.
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

// protocolOf is the version of HTTP that a request came in; two is what stands behind that of HTTP/2.
func protocolOf(r *server.Request, two string) string {
	switch {
	case r.Major() == 2:
		return "HTTP/2" + two
	case r.Minor() == 0:
		return "HTTP/1.0"
	}
	return "HTTP/1.1"
}

// describe answers with the connection alone, for curl and for the page's button.
func describe(w *server.ResponseWriter, r *server.Request, nth int64) {
	b, err := json.MarshalIndent(newConnection(r, nth), "", "  ")
	if err != nil {
		w.Error(500, err.Error())
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	w.WriteJSON(append(b, '\n'))
}

// show answers with the page. Everything but the moving plot is in the HTML already.
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
	guard(w.Header(), pageCSP)
	w.WriteBody("text/html; charset=utf-8", html.Bytes())
}

// guard sets the fields that keep a page to itself.
func guard(h *shockwave.Header, csp string) {
	h.Set("Content-Security-Policy", csp)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
}

// headOf is the head of a request in lines; that of HTTP/2, which has none, as HTTP/1.1 would have written it.
func headOf(r *server.Request) string {
	if r.Major() < 2 {
		return strings.ReplaceAll(string(r.Header().Bytes()), "\r\n", "\n")
	}
	var head strings.Builder
	fmt.Fprintf(&head, "%s %s HTTP/2\n", r.Method(), r.Target())
	for i := range r.Header().Len() {
		name, value := r.Header().At(i)
		fmt.Fprintf(&head, "%s: %s\n", name, value)
	}
	return head.String()
}

// programName is how the reader of the page can start the program again: what go run built has no name of its own.
func programName(arg0 string) string {
	if strings.Contains(arg0, "go-build") {
		return "go run ./cmd/shockwave"
	}
	return arg0
}
