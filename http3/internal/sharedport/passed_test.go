package sharedport

import (
	"bytes"
	"net"
	"strings"
	"testing"
)

// A packet arrives at another process unchanged.
func TestPassed(t *testing.T) {
	for _, from := range []*net.UDPAddr{
		{IP: net.IPv4(192, 0, 2, 1), Port: 1234},
		{IP: net.IPv4(192, 0, 2, 1).To4(), Port: 65535},
		{IP: net.ParseIP("2001:db8::1"), Port: 1},
		{IP: net.ParseIP("fe80::1"), Port: 1, Zone: "eth0"},
	} {
		for _, control := range []string{"", "abc", strings.Repeat("c", maxControl)} {
			in := passed{from, []byte(control), []byte("packet")}
			b, ok := in.append([]byte("x"))
			if !ok || b[0] != 'x' {
				t.Fatalf("%v: got %q", from, b)
			}
			b = b[1:]
			var out passed
			if err := out.parse(b); err != nil || out.from.String() != from.String() || string(out.control) != control || string(out.packet) != "packet" {
				t.Errorf(`got %v, %q, %q, %v; want %v, %q, "packet"`, out.from, out.control, out.packet, err, from, control)
			}
			for n := range len(b) - len("packet") + 1 { // a packet has at least one byte
				if err := out.parse(b[:n:n]); err == nil {
					t.Errorf("%d bytes of %d are enough", n, len(b))
				}
			}
		}
	}
	for name, p := range map[string]passed{
		"no address": {&net.UDPAddr{Port: 1}, nil, []byte("p")},
		"zone":       {&net.UDPAddr{IP: net.ParseIP("fe80::1"), Port: 1, Zone: strings.Repeat("z", maxZone+1)}, nil, []byte("p")},
		"control":    {&net.UDPAddr{IP: net.IPv4zero, Port: 1}, make([]byte, maxControl+1), []byte("p")},
		"packet":     {&net.UDPAddr{IP: net.IPv4zero, Port: 1}, nil, make([]byte, maxPacket+1)},
	} {
		if b, ok := p.append(nil); ok {
			t.Errorf("%s: got %x", name, b)
		}
	}
}

// A datagram that is parsed is written in the same way again, and any other is an error.
func FuzzPassed(f *testing.F) {
	b, _ := (&passed{&net.UDPAddr{IP: net.ParseIP("fe80::1"), Port: 1, Zone: "eth0"}, []byte("control"), []byte("packet")}).append(nil)
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		var p passed
		if p.parse(b) != nil {
			return
		}
		if again, ok := p.append(nil); !ok || !bytes.Equal(again, b) {
			t.Errorf("%x becomes %x", b, again)
		}
	})
}
