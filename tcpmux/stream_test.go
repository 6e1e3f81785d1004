package tcpmux_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"

	"github.com/shockwave-go/shockwave/tcpmux"
	"golang.org/x/net/nettest"
)

// A channel as a net.Conn behaves as one.
func TestNetConn(t *testing.T) {
	t.Parallel()
	r := newRig(t, tcpmux.Config{})
	a, b := r.session(tcpmux.Config{})
	nettest.TestConn(t, func() (c1, c2 net.Conn, stop func(), err error) {
		x, y := r.channel(a, b, "")
		c1, c2 = x.Conn(), y.Conn()
		return c1, c2, func() {
			c1.Close()
			c2.Close()
		}, nil
	})
}

// Net/http works over a session whose connection is cut all the time.
func TestHTTPOverCuts(t *testing.T) {
	t.Parallel()
	r := newRig(t, tcpmux.Config{})
	a, b := r.session(quick)
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body) // net/http drops what is not read when the response begins
		w.Write(body)
	})}
	l := b.Listener()
	served := make(chan error, 1)
	go func() { served <- srv.Serve(l) }()
	tr := &http.Transport{DialContext: a.DialContext}
	client := &http.Client{Transport: tr}
	for k := range 200 {
		if k%3 == 0 {
			r.p.cut()
		}
		body := bytes.Repeat([]byte(fmt.Sprint(k)), 1+k*100)
		resp, err := client.Post("http://peer/", "text/plain", bytes.NewReader(body))
		if err != nil {
			t.Fatalf("request %d: %v", k, err)
		}
		got, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || !bytes.Equal(got, body) {
			t.Fatalf("request %d: %d bytes of %d, %v", k, len(got), len(body), err)
		}
	}
	tr.CloseIdleConnections()
	srv.Close()
	<-served
}
