package peer

import (
	"bytes"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/shockwave-go/shockwave/server"
)

// NativeHandler is the native peer's handler.
var NativeHandler server.Handler = server.HandlerFunc(respondNative)

func serveNative(l net.Listener, conf *tls.Config) error {
	s := server.NewServer(server.Config{
		Handler:     NativeHandler,
		IdleTimeout: KeepIdle,
		TLSConfig:   conf,
	})
	if conf != nil {
		return s.ServeTLS(l, "", "")
	}
	return s.Serve(l)
}

func respondNative(w *server.ResponseWriter, r *server.Request) {
	switch string(r.Path()) {
	case PathPost:
		n, err := io.Copy(io.Discard, r)
		if err != nil {
			return // the server sends the error
		}
		var digits [20]byte
		w.WriteBody(typeText, strconv.AppendInt(digits[:0], n, 10))
	case PathSleep:
		ms, err := milliseconds(r.Query())
		if err != nil {
			w.Error(http.StatusBadRequest, err.Error())
			return
		}
		time.Sleep(ms)
		w.WriteBody(typeText, Greeting)
	case PathFields:
		for _, f := range Fields {
			w.Header().Add(f.Name, f.Value)
		}
		w.WriteBody(typeText, Greeting)
	case PathWork:
		w.WriteBody(typeJSON, work())
	default:
		a := find(string(r.Path()))
		if a == nil {
			w.Error(http.StatusNotFound, "not found")
			return
		}
		if a.Close {
			w.CloseAfter()
		}
		w.WriteBody(a.ContentType, a.Body)
	}
}

// milliseconds parses the query "ms=N".
func milliseconds(query []byte) (time.Duration, error) {
	digits, _ := bytes.CutPrefix(query, []byte("ms="))
	ms, err := strconv.ParseUint(string(digits), 10, 16)
	return time.Duration(ms) * time.Millisecond, err
}
