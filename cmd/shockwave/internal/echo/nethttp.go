package echo

import (
	"crypto/tls"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/site"
	"github.com/shockwave-go/shockwave/nethttp"
	"github.com/shockwave-go/shockwave/server"
)

// newNetHTTPEcho returns the echo server with a net/http handler.
func newNetHTTPEcho(sec *tls.Config, ws *wsEcho, con cli.Console) site.Server {
	return &nethttp.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !ws.netHTTP(w, r) {
				echoNetHTTP(w, r)
			}
		}),
		TLSConfig: sec,
		ErrorLog:  cli.NewErrorLog(con),
		// Echo "OPTIONS *" like any other request.
		DisableGeneralOptionsHandler: true,
	}
}

func echoNetHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodConnect {
		w.Header().Set("Allow", allowed)
		http.Error(w, noConnect, http.StatusMethodNotAllowed)
		return
	}
	// EscapedPath is the path as it was sent. Path is decoded: it would be "/chunked" for "/%63hunked", too.
	switch r.URL.EscapedPath() {
	case pathChunked:
		reportNetHTTP(w, r, true)
	case path204:
		w.WriteHeader(http.StatusNoContent)
	case path304:
		w.WriteHeader(http.StatusNotModified)
	case pathNoRead:
		plainNetHTTP(w, noread)
	case pathBig:
		bigNetHTTP(w, r)
	case pathPlaintext:
		plainNetHTTP(w, greeting)
	case pathSleep:
		sleepNetHTTP(w, r)
	default:
		reportNetHTTP(w, r, false)
	}
}

// maxBody is the native server's default limit. A net/http handler has to set its own.
var maxBody = server.DefaultConfig().MaxBodyBytes

// readNetHTTP reads the whole body. It refuses a Content-Length above the limit at once, before the client is asked to
// send the body (100 Continue).
func readNetHTTP(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.ContentLength > maxBody {
		return nil, &http.MaxBytesError{Limit: maxBody}
	}
	return io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
}

// reportNetHTTP reads the whole body and answers with the report.
func reportNetHTTP(w http.ResponseWriter, r *http.Request, chunked bool) {
	body, err := readNetHTTP(w, r)
	if err != nil {
		http.Error(w, noBody, bodyStatus(err))
		return
	}
	probes := strings.Join(r.Header["X-Probe"], ", ")
	report := appendReport(nil, r.Method, r.RequestURI, r.Host, probes, len(body))
	w.Header().Set("Content-Type", plain)
	if chunked {
		if http.NewResponseController(w).Flush() != nil {
			return
		}
	} else {
		w.Header().Set("Content-Length", strconv.Itoa(len(report)+len(body)))
	}
	w.Write(report)
	w.Write(body)
}

func plainNetHTTP(w http.ResponseWriter, body string) {
	w.Header().Set("Content-Type", plain)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	io.WriteString(w, body)
}

func bigNetHTTP(w http.ResponseWriter, r *http.Request) {
	n, ok := number(r.URL.RawQuery, "n", largest)
	if !ok {
		http.Error(w, noNumber, http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", plain)
	w.Header().Set("Content-Length", strconv.FormatInt(n, 10))
	if r.Method == http.MethodHead {
		return
	}
	writeXs(w, n)
}

func sleepNetHTTP(w http.ResponseWriter, r *http.Request) {
	ms, ok := number(r.URL.RawQuery, "ms", longestSleep.Milliseconds())
	if !ok {
		http.Error(w, noNumber, http.StatusBadRequest)
		return
	}
	time.Sleep(time.Duration(ms) * time.Millisecond)
	plainNetHTTP(w, slept)
}
