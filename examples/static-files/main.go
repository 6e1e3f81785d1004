// Static-files serves the files of a directory with net/http's file server. On Linux file contents are sent with
// sendfile(2).
//
// Files outside the directory cannot be reached: os.Root refuses to follow a path or a symbolic link that leads out of
// it, and the client gets a 404.
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

// inside is the file system of an os.Root that reports fs.ErrNotExist for names which lead out of the root, so that the
// file server answers them with 404 and not with 500.
type inside struct{ fs.FS }

func (in inside) Open(name string) (fs.File, error) {
	f, err := in.FS.Open(name)
	var system syscall.Errno
	if err != nil && !errors.As(err, &system) { // not a system error: os.Root refused the name
		err = fs.ErrNotExist
	}
	return f, err
}
