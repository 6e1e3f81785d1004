package serve

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/accesslog"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/site"
	"github.com/shockwave-go/shockwave/server"
	"github.com/shockwave-go/shockwave/websocket"
)

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

// servePage serves the page until a signal comes.
func servePage(s cli.Stop, at site.Site, cfg server.Config, opt liveOptions, log *accesslog.Log, con cli.Console) error {
	socket, err := newLiveSocket(opt, cfg.TLSConfig, con)
	if err != nil {
		return err
	}
	defer socket.sock.Shutdown(s.Now)
	go socket.broadcastSamples(s.Gracefully.Done())
	p := &page{socket: socket, stopping: s.Gracefully.Done(), echoConfig: newEchoConfig(con)}
	cfg.Handler = logNative(log, p)
	cfg.OnConn = func(net.Listener, net.Conn) any {
		return &connState{ok: p.statuses.ok.shard(), http2: p.http2.shard(), http3: p.http3.shard()}
	}
	srv := server.NewServer(cfg)
	p.sampler = sampler{stats: srv.Stats, statuses: &p.statuses, http2: &p.http2, http3: &p.http3, start: time.Now()}
	site.Announce(con, "open it in a browser", at, cfg.TLSConfig)
	for _, url := range socket.bound {
		fmt.Fprintf(con.Out, "its socket is at %s, too\n", url)
	}
	return site.Run(s, srv, at, p.echoConfig.Group, socket)
}

// newEchoConfig returns the configuration of /ws, which sends every message back. It uses callbacks, so that idle connections
// need no goroutine.
func newEchoConfig(con cli.Console) websocket.Config {
	return websocket.Config{
		ReadLimit: 4 << 10,
		OnMessage: func(c *websocket.Conn, t websocket.MessageType, p []byte) { c.WriteMessage(t, p) },
		Group:     &websocket.Group{Logger: cli.NewLogger(con)},
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
	case "/plaintext":
		w.WriteBody("text/plain", []byte("Hello, World!"))
	default:
		w.Error(404, "there is nothing here; try /")
	}
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
		"Version": cli.Version(),
	})
	if err != nil {
		w.Error(500, err.Error())
		return
	}
	setSecurityHeaders(w.Header(), pageCSP)
	w.WriteBody("text/html; charset=utf-8", html.Bytes())
}

// stream sends a sample every sampleEvery as server-sent events. It ends when the server stops or a Flush fails, which
// happens with the first or second Flush after the client has disconnected.
func (p *page) stream(w *server.ResponseWriter, r *server.Request) {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	tick := time.NewTicker(sampleEvery)
	defer tick.Stop()
	for string(r.Method()) != "HEAD" {
		event, err := json.Marshal(p.sampler.take())
		if err != nil {
			return
		}
		w.WriteString("data: ")
		w.Write(event)
		w.WriteString("\n\n")
		if w.Flush() != nil {
			return
		}
		select {
		case <-tick.C:
		case <-p.stopping:
			return
		}
	}
}
