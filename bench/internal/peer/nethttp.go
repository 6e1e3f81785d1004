package peer

import (
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/shockwave-go/shockwave/nethttp"
)

// Handler is the handler that both nethttp and net/http serve.
var Handler http.Handler = http.HandlerFunc(respondHTTP)

// quiet discards the log of servers that log every connection that the load generator closes.
var quiet = log.New(io.Discard, "", 0)

func serveNetHTTP(l net.Listener, conf *tls.Config) error {
	s := &nethttp.Server{Handler: Handler, TLSConfig: conf, ErrorLog: quiet, IdleTimeout: KeepIdle}
	if conf != nil {
		return s.ServeTLS(l, "", "")
	}
	return s.Serve(l)
}

// serveStd serves with http.Server's defaults: no timeout for idle connections and request heads.
func serveStd(l net.Listener, conf *tls.Config) error {
	s := &http.Server{Handler: Handler, TLSConfig: conf, ErrorLog: quiet}
	if conf != nil {
		return s.ServeTLS(l, "", "")
	}
	return s.Serve(l)
}

func respondHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case PathPost:
		n, err := io.Copy(io.Discard, r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		send(w, typeText, strconv.AppendInt(nil, n, 10))
	case PathSleep:
		ms, err := milliseconds([]byte(r.URL.RawQuery))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		time.Sleep(ms)
		send(w, typeText, Greeting)
	case PathWork:
		send(w, typeJSON, work())
	default:
		a := find(r.URL.Path)
		if a == nil {
			http.NotFound(w, r)
			return
		}
		if a.Close {
			w.Header().Set("Connection", "close")
		}
		send(w, a.ContentType, a.Body)
	}
}

// send responds as most handlers do that know the length of their response.
func send(w http.ResponseWriter, contentType string, body []byte) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.Write(body)
}
