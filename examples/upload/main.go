// Upload reads a body of any length as it arrives, in a fixed buffer, and answers with its SHA-256:
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
		MaxBodyBytes: 1 << 40, // the default of 32 MiB is for programs that did not think about it
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
	n, err := io.CopyBuffer(sum, r, buf) // a slow client is cut by MinReadRate, a huge one by MaxBodyBytes
	if err != nil {
		w.Error(400, "the body did not arrive whole")
		return
	}
	w.WriteText(fmt.Sprintf("%x  %d bytes\n", sum.Sum(nil), n))
}
