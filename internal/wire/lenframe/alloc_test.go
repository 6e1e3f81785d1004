package lenframe

import "testing"

// Reading and writing a buffer with whole messages and a part of one allocates nothing.
func TestNothingIsAllocated(t *testing.T) {
	wire := bytesOf(t, "00000005 68656c6c6f 00000000 00000002 6162 00000004 6162")
	tail := bytesOf(t, "6364 0000")
	last := bytesOf(t, "0001 61")
	out := make([]byte, 0, 64)
	n := testing.AllocsPerRun(100, func() {
		r := Reader{MaxMessage: 5}
		out = out[:0]
		for _, b := range [][]byte{wire, tail, last} {
			for {
				e, p, n, err := r.Next(b)
				if err != nil {
					t.Fatal(err)
				}
				if e == Nothing {
					break
				}
				if e == Message {
					out = Append(out, p)
				}
				b = b[n:]
			}
		}
		for b := wire; ; {
			p, n, err := Parse(b, 5)
			if err != nil || Check(len(p), 5) != nil {
				t.Fatal(err)
			}
			if n == 0 {
				break
			}
			b = b[n:]
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
	if want := bytesOf(t, "00000005 68656c6c6f 00000000 00000002 6162 00000001 61"); string(out) != string(want) {
		t.Errorf("% x", out)
	}
}
