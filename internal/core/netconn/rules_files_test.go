package netconn_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// unread is a file that counts how often it is read: the kernel sends it without that.
type unread struct {
	*os.File
	reads int
}

// Read implements io.Reader.
func (u *unread) Read(p []byte) (int, error) {
	u.reads++
	return u.File.Read(p)
}

// ReadAt implements io.ReaderAt.
func (u *unread) ReadAt(p []byte, at int64) (int, error) {
	u.reads++
	return u.File.ReadAt(p, at)
}

// Files are sent in every wrapping that io and net/http give them. The kernel sends them where it can, and readers and
// file are afterwards positioned as after a copy.
func TestReadFromFiles(t *testing.T) {
	const size, most = 100_000, 50_000
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "%d ", i)
	}
	content := b.String()[:size]
	file := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		wrap     func(f io.Reader) io.Reader
		from, to int
		stands   int64 // of the file, afterwards
		left     int64 // of the outermost limit
		copied   bool  // through memory, always
	}{
		"file":          {func(f io.Reader) io.Reader { return f }, 0, size, size, 0, false},
		"behind":        {func(f io.Reader) io.Reader { f.(io.Seeker).Seek(10, io.SeekStart); return f }, 10, size, size, 0, false},
		"limited":       {func(f io.Reader) io.Reader { return io.LimitReader(f, most) }, 0, most, most, 0, false},
		"limited twice": {func(f io.Reader) io.Reader { return io.LimitReader(io.LimitReader(f, most), size) }, 0, most, most, size - most, false},
		"never full":    {func(f io.Reader) io.Reader { return io.LimitReader(f, 1<<40) }, 0, size, size, 1<<40 - size, false},
		"section":       {func(f io.Reader) io.Reader { return io.NewSectionReader(f.(io.ReaderAt), 10, most) }, 10, 10 + most, 0, 0, false},
		"begun section": {func(f io.Reader) io.Reader {
			s := io.NewSectionReader(f.(io.ReaderAt), 10, most)
			s.Seek(5, io.SeekStart)
			return io.LimitReader(s, 40_000)
		}, 15, 40_015, 0, 0, false},
		"section of all": {func(f io.Reader) io.Reader { return io.NewSectionReader(f.(io.ReaderAt), 0, 1<<62) }, 0, size, 0, 0, false},
		"little":         {func(f io.Reader) io.Reader { return io.LimitReader(f, 100) }, 0, 100, 100, 0, true},
		"nothing":        {func(f io.Reader) io.Reader { return io.LimitReader(f, -1) }, 0, 0, 0, -1, true},
	}
	onEvery(t, func(t *testing.T, k kind) {
		byKernel := runtime.GOOS == "linux" && isSocket(k) && !k.tls && !k.foreign
		checked := make(chan bool, len(cases))
		r := serve(t, k, netconn.Config{}, lines(func(c *netconn.Conn, name string) error {
			defer func() { checked <- true }()
			tc := cases[name]
			f, err := os.Open(file)
			if err != nil {
				return err
			}
			defer func() { _ = f.Close() }()
			u := &unread{File: f}
			src := tc.wrap(u)
			n, err := c.ReadFrom(src)
			if n != int64(tc.to-tc.from) || err != nil || byKernel && !tc.copied && u.reads > 0 {
				t.Errorf("%s: %d, %v; %d reads", name, n, err, u.reads)
			}
			if at, _ := f.Seek(0, io.SeekCurrent); at != tc.stands {
				t.Errorf("%s: the file stands at %d, want %d", name, at, tc.stands)
			}
			if l, ok := src.(*io.LimitedReader); ok && l.N != tc.left {
				t.Errorf("%s: %d are left, want %d", name, l.N, tc.left)
			}
			if rest, _ := io.ReadAll(src); len(rest) > 0 {
				t.Errorf("%s: goes on with %d bytes", name, len(rest))
			}
			return nil
		}))
		talk := r.dial()
		for name, tc := range cases {
			talk.Send(name + "\n")
			talk.Want(content[tc.from:tc.to])
			wiretest.Within(t, name, checked) // the end of the test would abort it
		}
	})
}

// What io.Copy hands over for a file counts as a file; what only has a descriptor does not.
func TestIsFile(t *testing.T) {
	f, err := os.Open(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = r.Close(), w.Close() }()
	var of handedOver
	if _, err := io.Copy(&of, f); err != nil || of.src == nil {
		t.Fatalf("io.Copy of a file: %v, %v", of.src, err)
	}
	for src, want := range map[io.Reader]bool{
		f: true, of.src: true, io.LimitReader(of.src, 5): true, io.NewSectionReader(f, 0, 5): true,
		r: false, (*os.File)(nil): false, io.LimitReader(r, 5): false, io.NewSectionReader(strings.NewReader("a"), 0, 1): false,
		struct{ io.Reader }{f}: false, strings.NewReader("a"): false,
	} {
		if got := netconn.IsFile(src); got != want {
			t.Errorf("%T: %v", src, got)
		}
	}
}

// handedOver is a writer that keeps the reader that its ReadFrom gets.
type handedOver struct{ src io.Reader }

// Write implements io.Writer.
func (*handedOver) Write(p []byte) (int, error) { return len(p), nil }

// ReadFrom implements io.ReaderFrom.
func (h *handedOver) ReadFrom(src io.Reader) (int64, error) {
	h.src = src
	return 0, nil
}
