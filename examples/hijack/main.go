// Hijack takes over a connection after an HTTP upgrade and speaks a protocol of its own on it: every line that the
// client sends comes back in upper case.
//
//	printf 'GET / HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: loud\r\n\r\nhello\n' | nc 127.0.0.1 8080
package main

import (
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave/nethttp"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:8080", "listen here")
	flag.Parse()
	l, err := net.Listen("tcp", *addr)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on http://%s/\n", l.Addr())

	srv := &nethttp.Server{Handler: http.HandlerFunc(loud)}
	log.Fatal(srv.Serve(l))
}

func loud(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Upgrade") != "loud" {
		w.Header().Set("Upgrade", "loud")
		w.Header().Set("Connection", "upgrade")
		http.Error(w, "this server only speaks loud", http.StatusUpgradeRequired)
		return
	}
	conn, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	defer conn.Close() // after Hijack the handler must close the connection
	fmt.Fprint(rw, "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: loud\r\n\r\n")
	rw.Flush()
	for {
		conn.SetDeadline(time.Now().Add(time.Minute))
		line, err := rw.ReadString('\n') // rw may already hold bytes that arrived with the request
		if err != nil {
			return
		}
		rw.WriteString(strings.ToUpper(line))
		if rw.Flush() != nil {
			return
		}
	}
}
