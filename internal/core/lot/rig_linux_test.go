package lot

import (
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/sys"
)

// patience is how long an event may take that must come.
const patience = time.Minute

// end is one end of a connection, as the owner of a descriptor sees it.
type end struct {
	file *os.File
	raw  syscall.RawConn
}

// socketPair returns the two ends of a connection.
func socketPair(t testing.TB) (near, far *end) {
	t.Helper()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC|syscall.SOCK_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	ends := [2]*end{}
	for i, fd := range fds {
		f := os.NewFile(uintptr(fd), "socket")
		raw, err := f.SyscallConn()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		ends[i] = &end{file: f, raw: raw}
	}
	return ends[0], ends[1]
}

func (e *end) write(t testing.TB, s string) {
	t.Helper()
	if _, err := e.file.WriteString(s); err != nil {
		t.Fatal(err)
	}
}

// shut ends both halves; the descriptor stays open.
func (e *end) shut() {
	_ = e.raw.Control(func(fd uintptr) { sys.Shutdown(int(fd), sys.ShutBoth) })
}

func (e *end) shutWrite() {
	_ = e.raw.Control(func(fd uintptr) { sys.Shutdown(int(fd), sys.ShutWrite) })
}

// read drops n bytes.
func (e *end) read(t testing.TB, n int) {
	t.Helper()
	for n > 0 {
		k, err := e.file.Read(make([]byte, n))
		if n -= k; err != nil {
			t.Fatal(err)
		}
	}
}

// fill writes until the socket takes no more.
func (e *end) fill() {
	chunk := make([]byte, 64<<10)
	_ = e.raw.Control(func(fd uintptr) {
		for {
			if _, errno := sys.Send(int(fd), chunk, false); errno != 0 {
				return
			}
		}
	})
}

func open(t testing.TB) *Lot {
	t.Helper()
	l, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

// heard is a tenant that passes on its events.
type heard chan Event

func (h heard) Event(what Event) { h <- what }

func newHeard() heard { return make(heard, 100) }

func (h heard) want(t testing.TB, what Event) {
	t.Helper()
	select {
	case got := <-h:
		if got&what == 0 {
			t.Fatalf("reported %#x, want %#x", got, what)
		}
	case <-time.After(patience):
		t.Fatalf("waited for %#x in vain", what)
	}
}

// wantNothing expects that nothing was reported by the time the lot has reported everything that is there: events come in
// order, and the last one is a marker's.
func (h heard) wantNothing(t testing.TB, l *Lot, why string) {
	t.Helper()
	settle(t, l)
	select {
	case got := <-h:
		t.Fatalf("%s, but %#x was reported", why, got)
	default:
	}
}

// settle waits until l has reported what is there. It does so twice, because a batch of events may have been taken
// before.
func settle(t testing.TB, l *Lot) {
	t.Helper()
	for range 2 {
		a, b := socketPair(t)
		marker, place := newHeard(), Place{}
		b.write(t, "x")
		ask(t, l, &place, marker, a, Input)
		marker.want(t, Input)
		l.Leave(&place, a.raw)
		_, _ = a.file.Close(), b.file.Close()
	}
}

func ask(t testing.TB, l *Lot, p *Place, who Tenant, e *end, what Event) {
	t.Helper()
	if !l.Ask(p, who, e.raw, what) || !p.Held() {
		t.Fatalf("Ask fails, the place is %v", *p)
	}
}

// drain reads what is there.
func drain(e *end) {
	_ = e.raw.Control(func(fd uintptr) {
		b := make([]byte, 64<<10)
		for {
			if n, errno := sys.Recv(int(fd), b); n == 0 || errno != 0 {
				return
			}
		}
	})
}
