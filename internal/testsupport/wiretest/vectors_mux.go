package wiretest

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// MuxVector is a test vector of docs/wire/tcpmux-vectors.json: bytes and the frames that they contain.
type MuxVector struct {
	Name    string
	Bytes   HexBytes
	Frames  []string
	Refused bool
}

// HexBytes is a string of hexadecimal digits with spaces.
type HexBytes []byte

// UnmarshalJSON implements json.Unmarshaler.
func (p *HexBytes) UnmarshalJSON(b []byte) error {
	var digits string
	if err := json.Unmarshal(b, &digits); err != nil {
		return err
	}
	raw, err := hex.DecodeString(strings.ReplaceAll(digits, " ", ""))
	*p = raw
	return err
}

// MuxVectors reads the vectors. docs is the path of the directory docs.
func MuxVectors(t testing.TB, docs string) []MuxVector {
	t.Helper()
	b, err := os.ReadFile(docs + "/wire/tcpmux-vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		About   string
		Vectors []MuxVector
	}
	strict := json.NewDecoder(strings.NewReader(string(b)))
	strict.DisallowUnknownFields()
	if err := strict.Decode(&all); err != nil {
		t.Fatal(err)
	}
	if len(all.Vectors) < 30 || all.About == "" {
		t.Fatalf("%d vectors, about %q", len(all.Vectors), all.About)
	}
	return all.Vectors
}
