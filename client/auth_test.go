package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/shockwave-go/shockwave/client"
)

// SetBasicAuth replaces an earlier Authorization, and a login that cannot be sent is refused.
func TestBasicAuth(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		user, password, ok := r.BasicAuth()
		fmt.Fprint(w, user, "|", password, "|", ok, len(r.Header["Authorization"]))
	})
	each(t, func(t *testing.T, p client.Protocol) {
		c := newClient(t, client.Config{Protocol: p})
		req := client.NewRequest("GET", url)
		for _, login := range [][2]string{{"user", "secret"}, {"", ""}, {"us er", "a:b:c"}, {"üser", "pässwörd€"}, {"x", ""}} {
			req.SetBasicAuth(login[0], login[1])
			if _, body, err := do(c, req); body != login[0]+"|"+login[1]+"|true 1" || err != nil {
				t.Errorf("%q: got %q, %v; want %q", login, body, err, login[0]+"|"+login[1]+"|true 1")
			}
		}
		for _, login := range [][2]string{{"a:b", "c"}, {"a\n", "b"}, {"a", "\x00b"}, {"a", "b\x7f"}} {
			if req.SetBasicAuth(login[0], login[1]); !errors.Is(errOf(c.Do(context.Background(), req)), client.ErrRequest) {
				t.Errorf("%q was sent", login)
			}
		}
		req.SetBasicAuth("a", "b")
		if _, body, err := do(c, req); body != "a|b|true 1" || err != nil {
			t.Errorf(`got %q, %v; want "a|b|true 1"`, body, err)
		}
		req.SetBasicAuth("a:", "b")
		req.Reset()
		req.URL = url
		if _, body, err := do(c, req); body != "||false 0" || err != nil {
			t.Errorf(`got %q, %v; want "||false 0"`, body, err)
		}
	})
}

// errOf returns the error of a request, which must fail with an error and nothing else.
func errOf(r *client.Response, err error) error {
	if err == nil {
		r.Close()
	}
	return err
}
