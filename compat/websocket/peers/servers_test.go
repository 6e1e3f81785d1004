package peers

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/compat/internal/both"
	"github.com/shockwave-go/shockwave/websocket"
)

// orderOf returns what a message asks for, as package wsecho has it.
func orderOf(k kind, p []byte) (order, rest string) {
	if k != text || len(p) > 200 {
		return "", ""
	}
	order, rest, _ = strings.Cut(string(p), " ")
	return order, rest
}

func codeOf(rest string) (code int, reason string) {
	number, reason, _ := strings.Cut(rest, " ")
	code, _ = strconv.Atoi(number)
	return code, reason
}

// fragments writes what the order of that name asks for.
func fragments(w io.WriteCloser, err error) error {
	if err != nil {
		return err
	}
	for range 70 {
		io.WriteString(w, strings.Repeat("f", 1000)) // Close returns the error
	}
	return w.Close()
}

// converseWithServer has our client talk to h on net/http's server and on ours.
func converseWithServer(t *testing.T, h http.HandlerFunc) {
	both.Run(t, h, func(t *testing.T, s *both.Site) {
		url := "ws" + strings.TrimPrefix(s.URL, "http") + "/"
		for _, compression := range []websocket.Compression{
			websocket.NoCompression, websocket.NoContextTakeover, websocket.ContextTakeover,
		} {
			converse(t, func() *end { return dialOurs(t, url, compression) })
		}
	})
}
