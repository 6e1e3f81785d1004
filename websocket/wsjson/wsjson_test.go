package wsjson_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"testing"

	"github.com/shockwave-go/shockwave/websocket"
	"github.com/shockwave-go/shockwave/websocket/wsjson"
)

type move struct {
	Piece string `json:"piece"`
	To    [2]int `json:"to"`
}

func pipe(t *testing.T) (client, server *websocket.Conn) {
	t.Helper()
	client, server = websocket.Pipe(websocket.Config{}, websocket.Config{})
	t.Cleanup(func() {
		client.CloseNow()
		server.CloseNow()
	})
	return client, server
}

// A value that is written is read, whichever way it was sent.
func TestThereAndBack(t *testing.T) {
	client, server := pipe(t)
	sent := move{"knight", [2]int{6, 3}}
	if err := wsjson.Write(t.Context(), client, sent); err != nil {
		t.Fatal(err)
	}
	m, err := wsjson.Prepare(sent)
	if err != nil {
		t.Fatal(err)
	}
	if err := client.SendPrepared(m); err != nil {
		t.Fatal(err)
	}
	if err := client.WriteMessage(websocket.BinaryMessage, []byte(`{"piece": "knight", "to": [6, 3]}`)); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		var got move
		if err := wsjson.Read(t.Context(), server, &got); err != nil || got != sent {
			t.Fatalf("got %v, %v", got, err)
		}
	}
	if err := wsjson.Write(t.Context(), server, nil); err != nil {
		t.Fatal(err)
	}
	if typ, p, err := client.ReadMessage(); typ != websocket.TextMessage || string(p) != "null" || err != nil {
		t.Errorf("got a %v message %q, %v", typ, p, err)
	}
}

// A message that is not JSON is refused, and the next one is read.
func TestNoJSON(t *testing.T) {
	client, server := pipe(t)
	for _, bad := range []string{"", "{", `{"piece": 5}`, `{} {}`} {
		client.WriteMessage(websocket.TextMessage, []byte(bad))
		var got move
		err := wsjson.Read(t.Context(), server, &got)
		_, syntax := errors.AsType[*json.SyntaxError](err)
		_, mismatch := errors.AsType[*json.UnmarshalTypeError](err)
		if !syntax && !mismatch {
			t.Errorf("%q: %v", bad, err)
		}
	}
	client.WriteMessage(websocket.TextMessage, []byte(`{"piece": "rook"}`))
	var got move
	if err := wsjson.Read(t.Context(), server, &got); err != nil || got.Piece != "rook" {
		t.Errorf("afterwards: got %v, %v", got, err)
	}
}

// A value that JSON cannot express is refused, and nothing is sent.
func TestNotSent(t *testing.T) {
	client, server := pipe(t)
	if err := wsjson.Write(t.Context(), client, math.NaN()); err == nil {
		t.Error("NaN was written")
	}
	if m, err := wsjson.Prepare(make(chan int)); m != nil || err == nil {
		t.Errorf("a channel was prepared: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := wsjson.Write(ended, client, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("written after the end of ctx: %v", err)
	}
	var got any
	if err := wsjson.Read(ended, server, &got); !errors.Is(err, context.Canceled) {
		t.Errorf("read after the end of ctx: %v", err)
	}
	wsjson.Write(t.Context(), client, "only this")
	if err := wsjson.Read(t.Context(), server, &got); err != nil || got != "only this" {
		t.Errorf("got %v, %v", got, err)
	}
}

// Errors of the connection are returned as they are.
func TestEnd(t *testing.T) {
	client, server := pipe(t)
	go client.Close(4001, "enough")
	var got any
	if err := wsjson.Read(t.Context(), server, &got); websocket.CloseStatus(err) != 4001 {
		t.Errorf("Read: %v", err)
	}
	if err := wsjson.Write(t.Context(), server, 1); err == nil {
		t.Error("written after the end")
	}
}
