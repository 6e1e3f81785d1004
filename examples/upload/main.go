// Upload reads a request body of any length as it arrives, through a buffer of fixed size, and answers with its
// SHA-256:
//
//	curl -T big.iso http://127.0.0.1:8080/
package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
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

	srv := server.NewServer(server.Config{
		Handler:      server.HandlerFunc(receive),
		MaxBodyBytes: 1 << 40, // 1 TiB; the default is 32 MiB
	})
	log.Fatal(srv.Serve(l))
}

func receive(w *server.ResponseWriter, r *server.Request) {
	if m := string(r.Method()); m != "PUT" && m != "POST" {
		w.Header().Set("Allow", "POST, PUT")
		w.Error(405, "send a body")
		return
	}
	sum := sha256.New()
	buf := make([]byte, 64<<10)
	n, err := io.CopyBuffer(sum, r, buf) // fails for a client slower than MinReadRate or a body over MaxBodyBytes
	if err != nil {
		w.Error(400, "the body did not arrive whole")
		return
	}
	w.WriteText(fmt.Sprintf("%x  %d bytes\n", sum.Sum(nil), n))
}
