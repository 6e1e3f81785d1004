package websocket

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// closeCounter is a body that counts how often it is closed.
type closeCounter struct {
	io.Reader
	closed int
}

func (b *closeCounter) Close() error { b.closed++; return nil }

// The body of a refusal is closed once, because it may be in use for another response later.
func TestRefusalBodyIsClosedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		body := &closeCounter{Reader: strings.NewReader("no")}
		if p, err := io.ReadAll(clientRefusalBody(body)); string(p) != "no" || err != nil {
			t.Errorf(`got %q, %v; want "no"`, p, err)
		}
		time.Sleep(2 * refusalBodyTimeout)
		synctest.Wait()
		if body.closed != 1 {
			t.Errorf("closed %d times", body.closed)
		}
	})
}
