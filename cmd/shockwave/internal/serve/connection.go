package serve

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/accesslog"
	"github.com/shockwave-go/shockwave/server"
)

// connState is kept for each connection.
type connState struct {
	requests atomic.Int64
	ok       *atomic.Int64 // responses with status 200, in a shard shared with other connections
	http2    *atomic.Int64 // requests over HTTP/2, likewise
	http3    *atomic.Int64 // requests over HTTP/3, likewise
	switched bool          // the connection has become a WebSocket; not set for streams
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

// logNative is netHTTP for native handlers. The value of their connections must be a *connState. The length of the
// response is not known and not logged.
func logNative(l *accesslog.Log, next server.Handler) server.Handler {
	if l == nil {
		return next
	}
	return server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
		start, head, v := time.Now(), r.Header(), r.ConnValue().(*connState)
		e := accesslog.Exchange{
			Remote: r.RemoteAddr().String(), Method: string(r.Method()), Target: string(r.Target()),
			Protocol: protocolOf(r, ".0"), Referer: head.GetString("Referer"), Agent: head.GetString("User-Agent"),
			Bytes: -1,
		}
		defer func() {
			if e.Status = w.Status(); v.switched {
				e.Status = http.StatusSwitchingProtocols
			}
			l.Write(e, start)
		}()
		next.ServeHTTP(w, r)
	})
}
