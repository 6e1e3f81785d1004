package netconn

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"
)

// After Abort while a file is being sent, so late that the kernel takes all of it, the connection stays aborted, and what
// was appended meanwhile is not sent. The test does only the first half of Abort, the mark without the close, because the
// moment between the two cannot be hit from outside.
func TestSendFileKeepsAbort(t *testing.T) {
	const size = 32 << 20
	p := newParker(t, -1, nil)
	name := filepath.Join(t.TempDir(), "zeros")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(name, size); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	sent := make(chan error, 1)
	go func() {
		n, err := p.conn.ReadFrom(f)
		if n != size {
			t.Errorf("ReadFrom: %d, %v", n, err)
		}
		sent <- err
	}()
	WaitUntilBlocked(t, "IO wait", "(*Output).sendDescriptor")
	if _, err := p.conn.Write([]byte("tail")); err != nil {
		t.Fatal(err)
	}
	p.conn.out.Fail(ErrAbort)
	if _, err := io.CopyN(io.Discard, p.client, size); err != nil {
		t.Fatal(err)
	}
	<-sent
	if _, err := p.conn.Write([]byte("x")); err != ErrAbort {
		t.Errorf("Write after Abort: %v, want ErrAbort", err)
	}
	if err := p.client.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if rest, _ := io.ReadAll(p.client); len(rest) > 0 {
		t.Errorf("%q came after Abort", rest)
	}
}
