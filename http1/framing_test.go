package http1

import (
	"fmt"
	"testing"
)

// If a sender may give a response a body, a reader expects one, except for a 205.
func TestAllowsBody(t *testing.T) {
	for _, tc := range []struct {
		status      int
		any, tunnel bool // whether it may have one: as a response to any method, and to CONNECT
	}{
		{100, false, false}, {101, false, false}, {103, false, false}, {199, false, false},
		{200, true, false}, {204, false, false}, {205, false, false}, {206, true, false}, {299, true, false},
		{300, true, true}, {304, false, false}, {403, true, true}, {407, true, true}, {599, true, true}, {999, true, true},
	} {
		if got := AllowsBody(tc.status, false); got != tc.any {
			t.Errorf("%d: %t", tc.status, got)
		}
		if got := AllowsBody(tc.status, true); got != tc.tunnel {
			t.Errorf("%d to CONNECT: %t", tc.status, got)
		}
		for _, method := range []string{"GET", "CONNECT"} {
			var r Response
			n, err := r.Parse(fmt.Appendf(nil, "HTTP/1.1 %d \r\nContent-Length: 5\r\n\r\n", tc.status), method)
			reads := r.Framing.Delimiter != NoBody
			if n == 0 || err != nil {
				t.Fatal(tc.status, err)
			}
			if sends := AllowsBody(tc.status, method == "CONNECT"); sends != reads && tc.status != 205 {
				t.Errorf("%d to %s: may be sent a body is %t, is read with one %t", tc.status, method, sends, reads)
			}
		}
	}
}
