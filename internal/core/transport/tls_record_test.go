package transport

import (
	"reflect"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// One Read never returns the beginning of a long record behind other bytes, in whatever pieces the bytes come, but it
// returns several short records.
func TestRecordCounter(t *testing.T) {
	record := func(n int) []byte { return append([]byte{23, 3, 3, byte(n >> 8), byte(n)}, make([]byte, n)...) }
	var stream []byte
	long := map[int]bool{} // where such records begin
	for _, n := range []int{100, 0, 1, 16401, 3, shortRecord, shortRecord + 1, 5} {
		long[len(stream)] = n > shortRecord
		stream = append(stream, record(n)...)
	}
	for piece := 1; piece < 40; piece++ {
		var r recordCounter
		for at := 0; at < len(stream); {
			b := stream[at:min(at+piece*piece*piece, len(stream))]
			n := r.most(b)
			if n < 1 {
				t.Fatalf("pieces of %d: nothing is given at %d", piece, at)
			}
			for within := at + 1; within < at+n; within++ {
				if long[within] {
					t.Fatalf("pieces of %d: a Read of %d bytes at %d goes into the record at %d", piece, n, at, within)
				}
			}
			at += n
		}
		if r != (recordCounter{head: r.head}) {
			t.Errorf("pieces of %d: %+v at the end", piece, r)
		}
	}
	if n := new(recordCounter).most(stream); n != len(record(100))+len(record(0))+len(record(1)) {
		t.Errorf("the short records in front are not read together: %d bytes", n)
	}
}

// However much arrives at once, the buffer that the tls.Conn keeps has room for one record and not for several.
func TestMemoryOfRecords(t *testing.T) {
	onPeers(t, nil, func(t *testing.T, c *Conn, p *wiretest.TLSPeer) {
		full := strings.Repeat("x", 1<<14)
		var sent []byte
		for range 8 {
			sent = append(sent, p.Record(23, full)...)
		}
		n := 0
		for len(sent) > 0 {
			k := copy(c.Ciphertext(), sent)
			c.Arrived(nil, k)
			sent = sent[k:]
			n += len(decrypted(t, c))
		}
		if n != 8<<14 {
			t.Fatalf("decrypted %d bytes", n)
		}
		buf := reflect.ValueOf(c.tls.conn).Elem().FieldByName("rawInput").FieldByName("buf")
		if kept := buf.Cap(); kept > 20<<10 {
			t.Errorf("the tls.Conn keeps a buffer of %d bytes", kept)
		}
	})
}
