package http3_test

import (
	"io"
	"testing"

	"github.com/shockwave-go/shockwave/http3/webtransport"
	"github.com/shockwave-go/shockwave/server"
)

// TestSessionStreams: streams both ways, with what they say, and with the codes by which they are given up.
func TestSessionStreams(t *testing.T) {
	r := startSessions(t, 1, server.Config{}, webtransport.Config{})
	k := r.talk()
	_, s := r.session(k)
	ctx, cancel := within(t)
	defer cancel()

	theirs := k.open(unhex(t, "4041 00 6162"), true)
	str, err := s.AcceptStream(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if got := all(str); got != "ab" {
		t.Errorf("the client's stream says %q", got)
	}
	io.WriteString(str, "cd")
	str.CloseWrite()
	if got := all(theirs); got != "cd" {
		t.Errorf("the answer is %q", got)
	}

	k.uni(unhex(t, "4054 00 6566")).Close()
	in, err := s.AcceptUniStream(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if got := all(in); got != "ef" {
		t.Errorf("the client's unidirectional stream says %q", got)
	}

	if str, err = s.OpenStream(ctx); err != nil {
		t.Fatal(err)
	}
	io.WriteString(str, "gh")
	str.CloseWrite()
	if theirs, err = k.c.AcceptStream(ctx); err != nil {
		t.Fatal(err)
	}
	if got := all(theirs); got != "\x40\x41\x00gh" {
		t.Errorf("the server's stream says %q", got)
	}
	theirs.Write([]byte("ij"))
	theirs.Close()
	if got := all(str); got != "ij" {
		t.Errorf("its answer is %q", got)
	}

	out, err := s.OpenUniStream(ctx)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(out, "half a message")
	out.Reset(1<<32 - 1)
	uni, err := k.c.AcceptUniStream(ctx)
	for err == nil { // ours come first: the control stream
		b := make([]byte, 1)
		if uni.Read(b); b[0] == 0x40 {
			break
		}
		uni, err = k.c.AcceptUniStream(ctx)
	}
	if err != nil {
		t.Fatal(err)
	}
	if got := all(uni); got != "\x54\x00 reset 4294967295" {
		t.Errorf("a stream that was reset says %q", got)
	}
}
