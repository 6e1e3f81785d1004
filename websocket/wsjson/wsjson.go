// Package wsjson reads and writes JSON over WebSocket: one value a message, by encoding/json.
package wsjson

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/shockwave-go/shockwave/websocket"
)

// Read waits for a message of c, of either type, until ctx ends, and stores the value that it holds in what v points to.
// Errors are those of websocket.Conn.ReadContext; or, for a message that is no JSON, holds more than one value or one that
// does not fit v, they wrap those of json.Unmarshal. Then the message has been read, and the connection is as it was:
// whether to go on or to close with CloseInvalidPayload is the caller's choice.
//
// With Config.OnMessage it fails: use json.Unmarshal in the callback.
func Read(ctx context.Context, c *websocket.Conn, v any) error {
	_, p, err := c.ReadContext(ctx)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(p, v); err != nil {
		return fmt.Errorf("wsjson: %w", err)
	}
	return nil
}

// Write writes v as a text message. It gives up when ctx ends, as websocket.Conn.WriteContext does, whose errors it
// returns; those of json.Marshal it wraps, and nothing has been written then. It may be called concurrently.
func Write(ctx context.Context, c *websocket.Conn, v any) error {
	p, err := marshal(v)
	if err != nil {
		return err
	}
	return c.WriteContext(ctx, websocket.TextMessage, p)
}

// Prepare returns v as a text message for Conn.SendPrepared and Broadcast. Errors are those of json.Marshal, wrapped.
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
