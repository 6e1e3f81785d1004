package sys

import (
	"io"
	"testing"
)

// Bytes that the peer has acknowledged are counted from the beginning of the connection, whether the peer reads them or
// not.
func TestDelivered(t *testing.T) {
	fd, near, far := tcpPair(t)
	acked, segment := Delivered(fd)
	if segment == 0 {
		t.Skip("the kernel does not tell")
	}
	if acked > 1 || segment < 500 {
		t.Errorf("at the beginning: %d bytes acknowledged, a segment of %d", acked, segment)
	}
	for _, size := range []int{10, 1000} {
		if _, err := near.Write(make([]byte, size)); err != nil {
			t.Fatal(err)
		}
		before := acked
		until(t, "acknowledgement", func() bool {
			acked, _ = Delivered(fd)
			return acked == before+uint64(size)
		})
	}
	go func() {
		_, _ = far.Write(make([]byte, 3000))
		_ = far.CloseWrite()
	}()
	if _, err := io.Copy(io.Discard, near); err != nil {
		t.Fatal(err)
	}
	if now, _ := Delivered(fd); now != acked {
		t.Errorf("what the peer sent was counted: %d, %d before", now, acked)
	}
}

// For other sockets, and for what is no socket, the count is not known.
func TestDeliveredWhereItIsNotKnown(t *testing.T) {
	a, _ := unixPair(t)
	for _, fd := range []int{a, -1} {
		if acked, segment := Delivered(fd); acked != 0 || segment != 0 {
			t.Errorf("descriptor %d: %d, %d", fd, acked, segment)
		}
	}
}
