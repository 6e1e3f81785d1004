package conformance

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

// startOracle runs the same echo on net/http's own server: it reports whether the cases ask for something sane.
func startOracle(t *testing.T) *target {
	t.Helper()
	return startOracleWith(t, nil)
}

// startOracleWith is startOracle for other protocols than the server's own choice. It has no time limits that a busy machine
// could reach.
func startOracleWith(t *testing.T, spoken *http.Protocols) *target {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: http.HandlerFunc(oracleEcho), Protocols: spoken, ReadHeaderTimeout: time.Hour, ErrorLog: log.New(io.Discard, "", 0)}
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() { _ = s.Close() })
	return &target{name: "net/http", addr: l.Addr().String(), oracle: true}
}

// oracleEcho is the echo's contract on net/http's types.
func oracleEcho(w http.ResponseWriter, r *http.Request) {
	switch path := r.URL.Path; {
	case r.Method == http.MethodConnect:
		w.Header().Set("Allow", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, TRACE")
		http.Error(w, "no tunnels here", http.StatusMethodNotAllowed)
	case path == "/status/204":
		w.WriteHeader(http.StatusNoContent)
	case path == "/status/304":
		w.WriteHeader(http.StatusNotModified)
	case path == "/noread":
		_, _ = io.WriteString(w, "noread")
	case path == "/plaintext":
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Content-Length", "13")
		_, _ = io.WriteString(w, "Hello, World!")
	case path == "/sleep":
		time.Sleep(time.Duration(number(r, "ms")) * time.Millisecond)
		oracleRespond(w, r, false)
	case path == "/big":
		oracleBig(w, number(r, "n"))
	default:
		oracleRespond(w, r, path == "/chunked")
	}
}

// oracleRespond reads the body and says what arrived.
func oracleRespond(w http.ResponseWriter, r *http.Request, chunked bool) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		if r.ProtoMajor == 1 {
			w.Header().Set("Connection", "close")
		}
		http.Error(w, "bad body", http.StatusBadRequest)
		return
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "method: %s\ntarget: %s\nhost: %s\nprobe: %s\nlength: %d\n\n%s", r.Method, r.RequestURI, r.Host,
		strings.Join(r.Header.Values("X-Probe"), ", "), len(body), body)
	w.Header().Set("Content-Type", "text/plain")
	if chunked {
		_ = http.NewResponseController(w).Flush()
	} else {
		w.Header().Set("Content-Length", strconv.Itoa(b.Len()))
	}
	_, _ = w.Write(b.Bytes())
}

// oracleBig streams n bytes.
func oracleBig(w http.ResponseWriter, n int) {
	w.Header().Set("Content-Type", "text/plain")
	block := bytes.Repeat([]byte("x"), 32<<10)
	for n > 0 {
		k := min(n, len(block))
		if _, err := w.Write(block[:k]); err != nil {
			return
		}
		n -= k
	}
}

// number is a number in the query, 0 if there is none that fits.
func number(r *http.Request, key string) int {
	n, err := strconv.Atoi(r.URL.Query().Get(key))
	if err != nil {
		return 0
	}
	return n
}
