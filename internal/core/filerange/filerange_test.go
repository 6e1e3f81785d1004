package filerange

import (
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// open opens a file with these bytes.
func open(t *testing.T, content string) *os.File {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// TestOf: the part of a file is found below readers that limit it, and nothing in what is no regular file.
func TestOf(t *testing.T) {
	f := open(t, "0123456789")
	section := io.NewSectionReader(f, 2, 7)
	section.Seek(3, io.SeekStart)
	bare := struct {
		io.Reader
		file
	}{f, f} // as io.Copy passes a file on
	dir, err := os.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	closed := open(t, "")
	closed.Close()
	for name, c := range map[string]struct {
		src      io.Reader
		at, left int64
		ok       bool
	}{
		"a file":             {f, -1, math.MaxInt64, true},
		"another type":       {bare, -1, math.MaxInt64, true},
		"limited":            {io.LimitReader(f, 4), -1, 4, true},
		"limited twice":      {io.LimitReader(io.LimitReader(f, 4), 9), -1, 4, true},
		"a section":          {section, 5, 4, true},
		"a limited section":  {io.LimitReader(section, 3), 5, 3, true},
		"a section of other": {io.NewSectionReader(strings.NewReader("abc"), 0, 3), 0, 0, false},
		"no file":            {strings.NewReader("abc"), 0, 0, false},
		"a directory":        {dir, 0, 0, false},
		"a closed file":      {closed, 0, 0, false},
	} {
		r, ok := Of(c.src)
		if ok != c.ok || ok && (r.At != c.at || r.Left != c.left || r.File == nil) {
			t.Errorf("%s: %d bytes from %d, %t", name, r.Left, r.At, ok)
		}
		if IsFile(c.src) != c.ok {
			t.Errorf("%s: a file: %t", name, !c.ok)
		}
	}
}

// TestTake: a part loses what was sent at its front; one at the file's position stays there, because that moves itself.
func TestTake(t *testing.T) {
	for _, c := range []struct{ at, want int64 }{{-1, -1}, {0, 3}, {5, 8}} {
		r := Range{At: c.at, Left: 10}
		if r.Take(3); r.At != c.want || r.Left != 7 {
			t.Errorf("from %d: %d bytes from %d", c.at, r.Left, r.At)
		}
	}
}

// TestSkip: a reader goes on behind what the kernel has sent.
func TestSkip(t *testing.T) {
	f := open(t, "0123456789")
	section := io.LimitReader(io.LimitReader(io.NewSectionReader(f, 2, 7), 6), 5)
	Skip(section, 2)
	if rest, err := io.ReadAll(section); string(rest) != "456" || err != nil {
		t.Errorf("%q, %v", rest, err)
	}
	limited := io.LimitReader(f, 5)
	f.Seek(2, io.SeekCurrent) // as the kernel does
	Skip(limited, 2)
	if rest, err := io.ReadAll(limited); string(rest) != "234" || err != nil {
		t.Errorf("%q, %v", rest, err)
	}
}
