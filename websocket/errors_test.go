package websocket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// severed is a connection whose reads and writes fail with errors of its own.
type severed struct{ endless }

var errMishap = errors.New("mishap")

func (b *severed) Read([]byte) (int, error)  { return 0, errMishap }
func (b *severed) Write([]byte) (int, error) { return 0, errMishap }

// Errors of the network name the package and can be unwrapped.
func TestErrorsSayWhose(t *testing.T) {
	for name, f := range map[string]func(c *Conn) error{
		"ReadMessage":  func(c *Conn) error { _, _, err := c.ReadMessage(); return err },
		"NextReader":   func(c *Conn) error { _, _, err := c.NextReader(); return err },
		"WriteMessage": func(c *Conn) error { return c.WriteMessage(TextMessage, nil) },
		"Send": func(c *Conn) error {
			c.WriteMessage(TextMessage, nil)
			if err := c.Send(TextMessage, nil); err != ErrClosed {
				return err
			}
			return c.Err() // it is over already
		},
		"Ping": func(c *Conn) error { return c.Ping(t.Context()) },
		"Err":  func(c *Conn) error { c.ReadMessage(); return c.Err() },
	} {
		c, err := Config{}.settings().open(&opened{role: wsframe.Server, nc: &severed{}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := f(c); !saysMishap(err) {
			t.Errorf("%s: %v", name, err)
		} else if writes := name == "WriteMessage" || name == "Send"; !writes && !IsCloseError(err, CloseAbnormal) {
			t.Errorf("%s: %#v, want 1006", name, err)
		}
		c.CloseNow()
	}
	ended := make(chan error, 1)
	cfg := Config{OnMessage: func(*Conn, MessageType, []byte) {}, OnClose: func(_ *Conn, err error) { ended <- err }}
	if _, err := cfg.settings().open(&opened{role: wsframe.Server, nc: &severed{}}, nil); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !saysMishap(err) || !IsCloseError(err, CloseAbnormal) {
		t.Errorf("OnClose: %v", err)
	}
}

func saysMishap(err error) bool {
	return errors.Is(err, errMishap) && strings.HasPrefix(err.Error(), "websocket: ") && strings.Count(err.Error(), "websocket: ") == 1 &&
		strings.HasSuffix(err.Error(), ": mishap")
}

// Send fails with ErrClosed after the end.
func TestSendAfterTheEnd(t *testing.T) {
	c := openEndless(t, wsframe.Server, text("Hello"))
	c.CloseNow()
	if got, want := c.Send(TextMessage, nil), c.WriteMessage(TextMessage, nil); got != want {
		t.Errorf("Send: %v, WriteMessage: %v", got, want)
	}
}

// The error of Dial has the URL without its password.
func TestDialNamesTheURL(t *testing.T) {
	cfg := Config{NetDial: nobodyThere}
	for _, url := range []string{"ws://me:secret@example.com/x", "wss://example.com:0/", "ws://example.com/#part"} {
		_, _, err := Dial(t.Context(), url, cfg)
		want := strings.Replace(url, "secret", "xxxxx", 1)
		if err == nil || !strings.HasPrefix(err.Error(), "websocket: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", url, err)
		}
	}
}

func nobodyThere(context.Context, string, string) (net.Conn, error) { return nil, errMishap }

// Messages ends without an error after close codes 1000, 1001 and 1005.
func TestMessagesEnd(t *testing.T) {
	for code, orderly := range map[CloseCode]bool{
		CloseNormal: true, CloseGoingAway: true, CloseNoStatus: true, CloseInternalError: false, 4000: false,
	} {
		r := faces[0].open(t, Config{})
		if code == CloseNoStatus {
			r.peer.Send(text("a") + frame(0x88, ""))
		} else {
			r.peer.Send(text("a") + closeFrame(code, ""))
		}
		said := ""
		for m, err := range r.c.Messages() {
			said += fmt.Sprintf("%s %d;", m.Data, CloseStatus(err))
		}
		if want := "a 0;"; orderly && said != want || !orderly && said != fmt.Sprintf("%s %d;", want, code) {
			t.Errorf("%v: got %q", code, said)
		}
	}
}

// IsCloseError, IsUnexpectedCloseError and CloseStatus look at the code in an error's chain.
func TestIsCloseError(t *testing.T) {
	going := fmt.Errorf("wrapped: %w", &CloseError{Code: CloseGoingAway})
	for _, tc := range []struct {
		err            error
		codes          []CloseCode
		is, unexpected bool
	}{
		{going, []CloseCode{CloseNormal, CloseGoingAway}, true, false},
		{going, []CloseCode{CloseNormal}, false, true},
		{going, nil, false, true},
		{io.EOF, []CloseCode{0, CloseGoingAway}, false, false},
		{nil, nil, false, false},
	} {
		if is, un := IsCloseError(tc.err, tc.codes...), IsUnexpectedCloseError(tc.err, tc.codes...); is != tc.is || un != tc.unexpected {
			t.Errorf("%v with %v: %v and %v", tc.err, tc.codes, is, un)
		}
	}
}
