// Static-files serves a directory with net/http's file server; on Linux the bytes go out by sendfile. os.Root keeps
// requests inside the directory, also those that follow symbolic links: one that leads out of it is answered 404.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"net"
	"net/http"
	"os"
	"syscall"

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

	srv := &nethttp.Server{Handler: http.FileServerFS(inside{root.FS()})}
	log.Fatal(srv.Serve(l))
}

// inside is the files of a root. A name that leads out of it is, to clients, one that is not there.
type inside struct{ fs.FS }

func (in inside) Open(name string) (fs.File, error) {
	f, err := in.FS.Open(name)
	var system syscall.Errno
	if err != nil && !errors.As(err, &system) { // the root refused, not the system
		err = fs.ErrNotExist
	}
	return f, err
}
