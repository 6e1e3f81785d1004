package peers

import (
	"bytes"
	"net/http"
	"slices"
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

// many are what the order /fragments asks for.
var many = parts(slices.Repeat([][]byte{bytes.Repeat([]byte("f"), 1000)}, 70))

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
