package hpack

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// story is a file of github.com/http2jp/hpack-test-case: how one implementation encoded real requests.
type story struct {
	Cases []struct {
		Wire    string              `json:"wire"`
		Table   *int                `json:"header_table_size"`
		Headers []map[string]string `json:"headers"`
	} `json:"cases"`
}

// SHOCKWAVE_HPACK_STORIES is the path of a copy of that repository. Every block in it is decoded, and its fields are
// encoded and decoded again.
func TestStories(t *testing.T) {
	dir := os.Getenv("SHOCKWAVE_HPACK_STORIES")
	if dir == "" {
		t.Skip("SHOCKWAVE_HPACK_STORIES names no folder")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*", "story_*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s holds no stories: %v", dir, err)
	}
	blocks := 0
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var s story
		if err := json.Unmarshal(text, &s); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		blocks += tell(t, name, &s)
	}
	t.Logf("%d blocks of %d stories", blocks, len(files))
}

func tell(t *testing.T, name string, s *story) (blocks int) {
	t.Helper()
	var d, again Decoder
	var e Encoder
	for i, c := range s.Cases {
		var want []Field
		for _, h := range c.Headers {
			for k, v := range h {
				want = append(want, Field{Name: k, Value: v})
			}
		}
		if c.Table != nil {
			d.SetAllowedTableSize(*c.Table)
			e.SetMaxTableSize(*c.Table)
			again.SetAllowedTableSize(*c.Table)
		}
		if c.Wire != "" { // raw data has none
			wire, err := hex.DecodeString(c.Wire)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := d.Decode(wire); err != nil || !slices.Equal(insensitive(got), want) {
				t.Fatalf("%s, block %d: %+v, %v, want %+v", name, i, got, err, want)
			}
			blocks++
		}
		if got, err := again.Decode(e.AppendBlock(nil, want)); err != nil || !slices.Equal(insensitive(got), want) {
			t.Fatalf("%s, block %d, as we write it: %+v, %v, want %+v", name, i, got, err, want)
		}
	}
	return blocks
}

func insensitive(fields []Field) []Field {
	for i := range fields {
		fields[i].Sensitive = false
	}
	return fields
}
