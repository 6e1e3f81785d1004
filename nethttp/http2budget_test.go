package nethttp_test

import (
	"net"
	"net/http"
	"testing"

	"golang.org/x/net/http2"

	"github.com/shockwave-go/shockwave/internal/testsupport/h2talk"
	"github.com/shockwave-go/shockwave/nethttp"
)

// budgets are values of HTTP2Budget, and whether 1,500 pings in a row end a connection.
var budgets = map[int32]bool{10: true, 0: true, 1 << 20: false, -1: false}

// wantPings checks what became of 1,500 pings.
func wantPings(t *testing.T, nc net.Conn, budget int32, toServer bool) {
	t.Helper()
	answered, code, err := h2talk.Pings(nc, 1500, toServer)
	ended := code == http2.ErrCodeEnhanceYourCalm
	if err != nil || ended != budgets[budget] || budget == 10 && answered > 1000 {
		t.Errorf("budget %d: %d pings got an answer, then %v, %v", budget, answered, code, err)
	}
}

func TestHTTP2BudgetOfServer(t *testing.T) {
	for budget := range budgets {
		for _, h := range []*http.HTTP2Config{nil, {}} {
			s := &nethttp.Server{Handler: http.NotFoundHandler(), ErrorLog: quiet(), HTTP2Budget: budget, HTTP2: h}
			l := listen(t)
			go s.Serve(l)
			defer s.Close()
			nc, err := net.Dial("tcp", l.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer nc.Close()
			wantPings(t, nc, budget, true)
		}
	}
}

func TestHTTP2BudgetOfTransport(t *testing.T) {
	p := new(http.Protocols)
	p.SetUnencryptedHTTP2(true)
	for budget := range budgets {
		l := listen(t)
		tr := (&nethttp.Transport{Protocols: p, HTTP2Budget: budget}).Clone()
		defer tr.Close()
		asked := make(chan bool)
		go func() {
			defer close(asked)
			if res, err := (&http.Client{Transport: tr}).Get("http://" + l.Addr().String()); err == nil {
				res.Body.Close()
				t.Error("there is a response")
			}
		}()
		nc, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		l.Close()
		wantPings(t, nc, budget, false)
		nc.Close()
		<-asked
	}
}
