// Hello-nethttp serves an ordinary net/http handler: patterns, path values and all.
package main

import (
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"

	"github.com/shockwave-go/shockwave/nethttp"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:8080", "listen here")
	flag.Parse()

	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, "Hello, World!")
	})
	mux.HandleFunc("GET /hello/{name}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "Hello, %s!\n", r.PathValue("name"))
	})

	// nethttp.ListenAndServe(*addr, mux) is all it takes; this program wants to say which port it got.
	l, err := net.Listen("tcp", *addr)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on http://%s/\n", l.Addr())
	srv := &nethttp.Server{Handler: mux}
	log.Fatal(srv.Serve(l))
}
