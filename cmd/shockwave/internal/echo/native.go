package echo

import (
	"crypto/tls"
	"strconv"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/site"
	"github.com/shockwave-go/shockwave/server"
)

// newNativeEcho returns the echo server with a native handler.
func newNativeEcho(sec *tls.Config, ws *wsEcho, con cli.Console) site.Server {
	return server.NewServer(server.Config{
		Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
			if !ws.native(w, r) {
				echoNative(w, r)
			}
		}),
		TLSConfig: sec,
		Logger:    cli.NewLogger(con),
	})
}

func echoNative(w *server.ResponseWriter, r *server.Request) {
	if string(r.Method()) == "CONNECT" {
		w.Header().Set("Allow", allowed)
		w.Error(405, noConnect)
		return
	}
	switch string(r.Path()) {
	case pathChunked:
		reportNative(w, r, true)
	case path204:
		w.SetStatus(204)
	case path304:
		w.SetStatus(304)
	case pathNoRead:
		w.WriteBody(plain, []byte(noread))
	case pathBig:
		bigNative(w, r)
	case pathPlaintext:
		w.WriteBody(plain, []byte(greeting))
	case pathSleep:
		sleepNative(w, r)
	default:
		reportNative(w, r, false)
	}
}

// reportNative reads the whole body, whose length the server limits, and answers with the report.
func reportNative(w *server.ResponseWriter, r *server.Request, chunked bool) {
	body, err := r.Body()
	if err != nil {
		w.Error(bodyStatus(err), noBody)
		return
	}
	report := appendReport(nil, r.Method(), r.Target(), r.Host(), probesNative(r), len(body))
	w.Header().Set("Content-Type", plain)
	if chunked {
		if w.Flush() != nil {
			return
		}
	} else {
		w.Header().Set("Content-Length", strconv.Itoa(len(report)+len(body)))
	}
	w.Write(report)
	w.Write(body)
}

// probesNative joins the values of all X-Probe lines in their order, as a recipient may (RFC 9110 §5.3).
func probesNative(r *server.Request) []byte {
	var joined []byte
	h := r.Header()
	v, i := h.Next("X-Probe", 0)
	for first := true; i > 0; first = false {
		if !first {
			joined = append(joined, ", "...)
		}
		joined = append(joined, v...)
		v, i = h.Next("X-Probe", i)
	}
	return joined
}

func bigNative(w *server.ResponseWriter, r *server.Request) {
	n, ok := number(string(r.Query()), "n", largest)
	if !ok {
		w.Error(400, noNumber)
		return
	}
	w.Header().Set("Content-Type", plain)
	w.Header().Set("Content-Length", strconv.FormatInt(n, 10))
	if string(r.Method()) == "HEAD" {
		return
	}
	writeXs(w, n)
}

func sleepNative(w *server.ResponseWriter, r *server.Request) {
	ms, ok := number(string(r.Query()), "ms", longestSleep.Milliseconds())
	if !ok {
		w.Error(400, noNumber)
		return
	}
	time.Sleep(time.Duration(ms) * time.Millisecond)
	w.WriteBody(plain, []byte(slept))
}
