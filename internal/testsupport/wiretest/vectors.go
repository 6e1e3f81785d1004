package wiretest

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"
)

type streamVectors struct {
	About   string
	Vectors []StreamVector
}

// StreamVector is a test vector of docs/wire/streamsock-vectors.json: a stream and what a receiver makes of it. All
// implementations of that wire format use these vectors.
type StreamVector struct {
	Name     string
	Max      uint32
	Messages []VectorBytes
	TCP      *struct {
		Bytes VectorParts
		End   StreamEnd
	}
	WS       *StreamFrames
	Prefixed []StreamFrames
}

// StreamFrames are the WebSocket frames of one direction, and how the stream ends.
type StreamFrames struct {
	Frames []struct {
		Opcode  int
		Fin     bool
		Payload VectorParts
	}
	End StreamEnd
}

// StreamEnd is the event that a receiver reports after the messages.
type StreamEnd struct {
	Reason string
	Code   int
	Length uint32
	Text   string
}

// VectorBytes is a string of hexadecimal digits, or {"fill": N}.
type VectorBytes []byte

// UnmarshalJSON implements json.Unmarshaler.
func (p *VectorBytes) UnmarshalJSON(b []byte) error {
	var fill struct{ Fill int }
	if b[0] == '{' {
		err := json.Unmarshal(b, &fill)
		*p = make([]byte, fill.Fill)
		for i := range *p {
			(*p)[i] = byte(i % 251)
		}
		return err
	}
	var digits string
	if err := json.Unmarshal(b, &digits); err != nil {
		return err
	}
	raw, err := hex.DecodeString(digits)
	*p = raw
	return err
}

// VectorParts are pieces that are read as one slice.
type VectorParts []byte

// UnmarshalJSON implements json.Unmarshaler.
func (p *VectorParts) UnmarshalJSON(b []byte) error {
	var parts []VectorBytes
	err := json.Unmarshal(b, &parts)
	*p = nil
	for _, part := range parts {
		*p = append(*p, part...)
	}
	return err
}

// StreamVectors reads the vectors. docs is the path of the directory docs.
func StreamVectors(t testing.TB, docs string) []StreamVector {
	t.Helper()
	b, err := os.ReadFile(docs + "/wire/streamsock-vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var all streamVectors
	strict := json.NewDecoder(bytes.NewReader(b))
	strict.DisallowUnknownFields()
	if err := strict.Decode(&all); err != nil {
		t.Fatal(err)
	}
	if len(all.Vectors) < 35 || all.About == "" {
		t.Fatalf("%d vectors, about %q", len(all.Vectors), all.About)
	}
	return all.Vectors
}
