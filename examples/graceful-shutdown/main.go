// Graceful-shutdown stops on SIGINT or SIGTERM without cutting off requests: Shutdown closes the listener and waits
// until the requests in flight have been answered. To see it, send a request and press Ctrl-C before it is answered:
//
//	go run ./examples/graceful-shutdown -work 5s
//	curl http://127.0.0.1:8080/
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os/signal"
	"syscall"
	"time"

	"github.com/shockwave-go/shockwave/nethttp"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:8080", "listen here")
	work := flag.Duration("work", time.Second, "how long a request takes")
	flag.Parse()
	interrupted, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()

	l, err := net.Listen("tcp", *addr)
	if err != nil {
		log.Fatal(err)
	}
	srv := &nethttp.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Println("working")
		time.Sleep(*work)
		fmt.Fprintln(w, "done, in peace")
	})}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(l) }()
	fmt.Printf("listening on http://%s/\n", l.Addr())

	select {
	case err := <-served:
		log.Fatal(err)
	case <-interrupted.Done():
	}
	stop() // restore the default handling: a second interrupt ends the program at once
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := srv.Shutdown(ctx); err != nil {
		log.Fatal(err)
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
	fmt.Println("goodbye")
}
