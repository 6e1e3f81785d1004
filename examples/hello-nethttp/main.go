// Hello-nethttp serves an ordinary net/http handler. http.ServeMux with its patterns and path values works unchanged;
// only the server is different.
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

	// A program that knows its port needs only nethttp.ListenAndServe(*addr, mux). This one makes the listener itself,
	// so that it can print the port that was chosen for -addr 127.0.0.1:0.
	l, err := net.Listen("tcp", *addr)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on http://%s/\n", l.Addr())
	srv := &nethttp.Server{Handler: mux}
	log.Fatal(srv.Serve(l))
}
