package websocket

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Over TLS, what was written before CloseNow arrives.
func TestCloseNowSecure(t *testing.T) {
	ended := make(chan struct{}, 1)
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := Accept(w, r, Config{})
		if err != nil {
			t.Error(err)
			return
		}
		c.WriteMessage(TextMessage, []byte("last"))
		c.CloseNow()
		<-c.Done()
		ended <- struct{}{}
	}))
	defer s.Close()
	for range 5 {
		c, _, err := Dial(soon(t), strings.Replace(s.URL, "https", "wss", 1), Config{TLSConfig: trust(s)})
		if err != nil {
			t.Fatal(err)
		}
		if _, p, err := c.ReadMessage(); string(p) != "last" || err != nil {
			t.Fatalf(`got %q, %v; want "last"`, string(p), err)
		}
		if _, _, err := c.ReadMessage(); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("then %v", err)
		}
		c.CloseNow()
		within(t, "the server's end", ended)
	}
}
