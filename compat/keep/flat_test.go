package keep

import (
	"os"
	"testing"
)

const (
	uploadBytes = 100 << 20
	largeBytes  = 1 << 30
	// flatBytes is how much the server's resident memory may grow at its peak while several large bodies pass. It is
	// far below one body. The heap may double between two collections, and each connection has a few buffers.
	flatBytes = 24 << 20
)

// The memory of a server that takes uploads of 100 MB and sends a response of 1 GB stays flat.
func TestMemoryStaysFlat(t *testing.T) {
	if testing.Short() {
		t.Skip("moves 2 GB")
	}
	s := startFlatServer(t)
	for _, c := range []struct {
		name   string
		once   func(s *flatServer, n int64) (int64, error)
		bytes  int64
		atOnce int
	}{
		{"MultipartReader", func(s *flatServer, n int64) (int64, error) { return s.upload("/parts", n) }, uploadBytes, 4},
		{"ParseMultipartForm", func(s *flatServer, n int64) (int64, error) { return s.upload("/form", n) }, uploadBytes, 2},
		{"a copied body", (*flatServer).post, uploadBytes, 4},
		{"a streamed response", (*flatServer).download, largeBytes, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.atOnce(t, c.atOnce, func() (int64, error) { return c.once(s, 2<<20) }, 2<<20)
			before := s.settle(t)
			s.atOnce(t, c.atOnce, func() (int64, error) { return c.once(s, c.bytes) }, c.bytes)
			if grown := s.peak(t) - before; grown > flatBytes {
				t.Errorf("memory grew by %d MB for %d bodies of %d MB at once", grown>>20, c.atOnce, c.bytes>>20)
			} else {
				t.Logf("memory grew by %d KB for %d bodies of %d MB at once", grown>>10, c.atOnce, c.bytes>>20)
			}
		})
	}
	left, err := os.ReadDir(s.tmp)
	if err != nil || len(left) > 0 {
		t.Errorf("temporary files are left: %v, %v", left, err)
	}
}
