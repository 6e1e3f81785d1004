package message

import (
	"crypto/rand"
	"crypto/sha1"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/request"
	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/httpread"
)

// handshakeFields are the fields of a WebSocket handshake that the header of a run must not contain.
var handshakeFields = []string{
	"Upgrade", "Connection", "Content-Length", "Transfer-Encoding", "Sec-WebSocket-Key", "Sec-WebSocket-Version",
	"Sec-WebSocket-Extensions",
}

// handshake opens WebSocket on new connections.
type handshake struct {
	spec    Spec
	request []byte // up to the value of the key
}

// newHandshake builds the request that opens a WebSocket connection (RFC 6455 §4.1), up to the value of the key.
func newHandshake(req *request.Request, spec Spec) (*handshake, error) {
	for _, name := range handshakeFields {
		if req.Header.Has(name) {
			return nil, fmt.Errorf("load: the field %s belongs to the WebSocket handshake", name)
		}
	}
	b, err := req.OpenHead(req.URLs[0])
	if err != nil {
		return nil, err
	}
	b = append(b, "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"...)
	if offer := spec.offer(); offer != "" {
		b = append(append(append(b, "Sec-WebSocket-Extensions: "...), offer...), "\r\n"...)
	}
	return &handshake{spec, append(b, "Sec-WebSocket-Key: "...)}, nil
}

// make opens WebSocket on c. It runs on the connection's goroutine. Bytes after the server's response stay
// unread.
func (h *handshake) make(c *netconn.Conn, timeout time.Duration) error {
	var raw [16]byte
	rand.Read(raw[:])
	key := base64.StdEncoding.EncodeToString(raw[:])
	if _, err := c.Write(append(append(append([]byte(nil), h.request...), key...), "\r\n\r\n"...)); err != nil {
		return err
	}
	c.SetReadDeadline(time.Now().Add(timeout))
	defer c.SetReadDeadline(time.Time{})
	var head http1.Response
	n, err := httpread.ResponseHead(c, &head, "GET")
	if err != nil {
		return fmt.Errorf("load: no answer to the WebSocket handshake: %w", err)
	}
	err = h.check(&head, key)
	c.Take(n)
	return err
}

// check returns an error if the server's response to the handshake is not valid (RFC 6455 §4.1).
func (h *handshake) check(head *http1.Response, key string) error {
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	switch {
	case head.Status != 101:
		return fmt.Errorf("load: the server answers the WebSocket handshake with %d, not 101", head.Status)
	case !head.Upgrade || !strings.EqualFold(head.Header.GetString("Upgrade"), "websocket"):
		return errors.New("load: the server does not switch to WebSocket")
	case head.Header.GetString("Sec-WebSocket-Accept") != base64.StdEncoding.EncodeToString(sum[:]):
		return errors.New("load: the server's Sec-WebSocket-Accept does not answer the key")
	}
	return h.spec.checkExtensions(head.Header.GetString("Sec-WebSocket-Extensions"))
}
