// Package wsjson reads and writes JSON values as WebSocket messages, one value per message, with encoding/json.
package wsjson

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/shockwave-go/shockwave/websocket"
)

// Read reads a message of either type from c and stores its value in the variable that v points to. It gives up when ctx
// is done. Its errors are those of websocket.Conn.ReadMessageContext. If the message is not exactly one JSON value that fits v,
// the error wraps that of json.Unmarshal; the message has then been read, and the connection can still be used. The
// caller decides whether to continue or to close it with CloseInvalidPayload.
//
// With Config.OnMessage it fails: use json.Unmarshal in the callback.
func Read(ctx context.Context, c *websocket.Conn, v any) error {
	_, p, err := c.ReadMessageContext(ctx)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(p, v); err != nil {
		return fmt.Errorf("wsjson: %w", err)
	}
	return nil
}

// Write writes v as a text message. It gives up when ctx is done, like websocket.Conn.WriteMessageContext, whose errors it
// returns. Errors of json.Marshal are wrapped, and nothing has been written then. It is safe for concurrent use.
func Write(ctx context.Context, c *websocket.Conn, v any) error {
	p, err := marshal(v)
	if err != nil {
		return err
	}
	return c.WriteMessageContext(ctx, websocket.TextMessage, p)
}

// Prepare returns v as a text message for Conn.SendPrepared and Broadcast. Errors of json.Marshal are wrapped.
func Prepare(v any) (*websocket.PreparedMessage, error) {
	p, err := marshal(v)
	if err != nil {
		return nil, err
	}
	return websocket.Prepare(websocket.TextMessage, p), nil
}

func marshal(v any) ([]byte, error) {
	p, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("wsjson: %w", err)
	}
	return p, nil
}
