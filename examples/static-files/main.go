// Static-files serves a directory with net/http's file server; on Linux the bytes go out by sendfile. os.Root keeps
// requests inside the directory, also those that follow symbolic links.
package main

import (
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"

	"github.com/shockwave-go/shockwave/nethttp"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:8080", "listen here")
	dir := flag.String("dir", ".", "serve the files under this directory")
	flag.Parse()
	root, err := os.OpenRoot(*dir)
	if err != nil {
		log.Fatal(err)
	}
	l, err := net.Listen("tcp", *addr)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on http://%s/\n", l.Addr())

	srv := &nethttp.Server{Handler: http.FileServerFS(root.FS())}
	log.Fatal(srv.Serve(l))
}
