package load

import (
	"crypto/rand"
	"crypto/sha1"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/httpread"
)

// handshakeFields are the fields of a WebSocket handshake that Config.Header must not contain.
var handshakeFields = []string{
	"Upgrade", "Connection", "Content-Length", "Transfer-Encoding", "Sec-WebSocket-Key", "Sec-WebSocket-Version",
	"Sec-WebSocket-Extensions",
}

// newHandshake returns the request that opens a WebSocket connection (RFC 6455 §4.1), up to the value of the key.
func newHandshake(cfg *Config) ([]byte, error) {
	for _, name := range handshakeFields {
		if cfg.Header.Has(name) {
			return nil, fmt.Errorf("load: the field %s belongs to the WebSocket handshake", name)
		}
	}
	b, ok := http1.AppendRequestLine(nil, "GET", cfg.URL.RequestURI())
	if !ok {
		return nil, fmt.Errorf("load: no request can be made of the target %q", cfg.URL.RequestURI())
	}
	if b, ok = appendDefaults(b, cfg); !ok {
		return nil, fmt.Errorf("load: %q cannot stand in a Host field", cfg.URL.Host)
	}
	if b, ok = http1.AppendHeader(b, &cfg.Header); !ok {
		return nil, errField
	}
	b = append(b, "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"...)
	if offer := cfg.Message.offer(); offer != "" {
		b = append(append(append(b, "Sec-WebSocket-Extensions: "...), offer...), "\r\n"...)
	}
	return append(b, "Sec-WebSocket-Key: "...), nil
}

// doHandshake opens WebSocket on c. It runs on the connection's goroutine. Bytes after the server's response stay
// unread.
func (m *message) doHandshake(c *netconn.Conn, timeout time.Duration) error {
	var raw [16]byte
	rand.Read(raw[:])
	key := base64.StdEncoding.EncodeToString(raw[:])
	if _, err := c.Write(append(append(append([]byte(nil), m.handshake...), key...), "\r\n\r\n"...)); err != nil {
		return err
	}
	c.SetReadDeadline(time.Now().Add(timeout))
	defer c.SetReadDeadline(time.Time{})
	var head http1.Response
	n, err := httpread.ResponseHead(c, &head, "GET")
	if err != nil {
		return fmt.Errorf("load: no answer to the WebSocket handshake: %w", err)
	}
	err = m.checkResponse(&head, key)
	c.Take(n)
	return err
}

// checkResponse returns an error if the server's response to the handshake is not valid (RFC 6455 §4.1).
func (m *message) checkResponse(head *http1.Response, key string) error {
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	switch {
	case head.Status != 101:
		return fmt.Errorf("load: the server answers the WebSocket handshake with %d, not 101", head.Status)
	case !head.Upgrade || !strings.EqualFold(head.Header.GetString("Upgrade"), "websocket"):
		return errors.New("load: the server does not switch to WebSocket")
	case head.Header.GetString("Sec-WebSocket-Accept") != base64.StdEncoding.EncodeToString(sum[:]):
		return errors.New("load: the server's Sec-WebSocket-Accept does not answer the key")
	}
	return m.checkExtensions(head.Header.GetString("Sec-WebSocket-Extensions"))
}
