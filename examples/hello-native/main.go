// Hello-native serves a native handler, the fast interface of package server. It allocates nothing per request: paths,
// header values and bodies are byte slices that point into the connection's buffer, and are only valid until the
// handler returns.
package main

import (
	"flag"
	"fmt"
	"log"
	"net"

	"github.com/shockwave-go/shockwave/server"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:8080", "listen here")
	flag.Parse()
	l, err := net.Listen("tcp", *addr)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on http://%s/\n", l.Addr())

	srv := server.NewServer(server.Config{Handler: server.HandlerFunc(hello)})
	log.Fatal(srv.Serve(l))
}

func hello(w *server.ResponseWriter, r *server.Request) {
	switch string(r.Path()) {
	case "/":
		w.WriteText("Hello, World!\n")
	case "/agent":
		// Get returns a slice of the connection's buffer. Copy it if it must outlive the handler.
		w.Write(r.Header().Get("User-Agent"))
	default:
		w.Error(404, "nothing here")
	}
}
