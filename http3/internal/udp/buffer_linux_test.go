package udp

import (
	"bytes"
	"log/slog"
	"net"
	"strings"
	"testing"
)

// A small receive buffer is logged in one line with the remedy, and a large one is not.
func TestNoteBuffer(t *testing.T) {
	pc, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer pc.Close()
	var b bytes.Buffer
	log := slog.New(slog.NewTextHandler(&b, nil))
	pc.SetReadBuffer(10_000)
	NoteBuffer(pc, log)
	if got := b.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "sysctl -w net.core.rmem_max=") {
		t.Errorf("got %q, want one line with the remedy", got)
	}
	b.Reset()
	NoteBuffer(struct{ net.PacketConn }{pc}, log) // a socket that says nothing of itself
	if pc.SetReadBuffer(wantedBuffer); receiveBuffer(pc) < wantedBuffer {
		t.Skip("the system allows no larger one")
	}
	NoteBuffer(pc, log)
	if b.Len() > 0 {
		t.Errorf("got %q, want nothing", b.String())
	}
}
