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

// StreamVector is a stream of docs/wire/streamsock-vectors.json and what a receiver makes of it, for everybody who speaks that
// wire.
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

// StreamFrames are what travels one way on a WebSocket, and what that means.
type StreamFrames struct {
	Frames []struct {
		Opcode  int
		Fin     bool
		Payload VectorParts
	}
	End StreamEnd
}

// StreamEnd is the event that a receiver tells, behind the messages.
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

// VectorParts are read as one.
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

// StreamVectors reads the vectors; docs is where the directory docs is.
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
