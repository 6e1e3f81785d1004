package transport

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/shockwave-go/shockwave/internal/core/sys"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// control runs f with p's descriptor.
func (p *pair) control(t testing.TB, f func(fd int)) {
	t.Helper()
	if err := p.c.Raw().Control(func(fd uintptr) { f(int(fd)) }); err != nil {
		t.Fatal(err)
	}
}

// receive receives once there is something.
func (p *pair) receive(t testing.TB, b []byte) (n, left int, errno syscall.Errno) {
	t.Helper()
	if err := p.c.Raw().Read(func(fd uintptr) bool {
		n, left, errno = p.c.Receive(int(fd), b)
		return errno != syscall.EAGAIN
	}); err != nil {
		t.Fatal(err)
	}
	return n, left, errno
}

// The kernel tells how many bytes are left, once it was asked to; on a unix socket it does not.
func TestReceiveCounts(t *testing.T) {
	onSome(t, both(isSocket, isClear), func(t *testing.T, p *pair) {
		b := make([]byte, 4)
		p.control(t, func(fd int) {
			if n, left, errno := p.c.Receive(fd, b); n != 0 || left != Unknown || errno != syscall.EAGAIN {
				t.Errorf("nothing there: %d, %d left, %v", n, left, errno)
			}
		})
		p.tell(t, "0123456789")
		if n, left, errno := p.receive(t, b); n != 4 || left != Unknown || errno != 0 {
			t.Errorf("before it was asked to: %d, %d left, %v", n, left, errno)
		}
		p.control(t, p.c.AskCount)
		p.control(t, p.c.AskCount)
		counts := p.network == "tcp" && kernelCounts(t)
		for _, want := range []int{2, 0} {
			if !counts {
				want = Unknown
			}
			if _, left, errno := p.receive(t, b); left != want || errno != 0 {
				t.Errorf("%d left, want %d; %v", left, want, errno)
			}
		}
		p.control(t, func(fd int) {
			if n, left, errno := p.c.Receive(fd, b); n != 0 || left != Unknown || errno != syscall.EAGAIN {
				t.Errorf("nothing there: %d, %d left, %v", n, left, errno)
			}
		})
		if p.network == "tcp" && !counts {
			t.Skip("the kernel has no TCP_INQ")
		}
	})
}

// kernelCounts reports whether the kernel can tell how much is left. It asks on a connection of its own, because this
// needs to be asked for only once for each.
func kernelCounts(t testing.TB) (counts bool) {
	near, far := connect(t, variant{network: "tcp"})
	defer func() { _, _ = near.Close(), far.Close() }()
	c := new(Conn)
	c.Init(near, true)
	_ = c.Raw().Control(func(fd uintptr) { counts = sys.SetInq(int(fd)) })
	return counts
}

// The receive that takes the last bytes does not say that nothing is left if the end of the stream is: a wait for the next
// event would last for ever.
func TestReceiveBehindTheEnd(t *testing.T) {
	onSome(t, both(isSocket, isClear), func(t *testing.T, p *pair) {
		p.control(t, p.c.AskCount)
		p.tell(t, "last")
		_ = p.wire.CloseWrite()
		until(t, "the end to arrive", func() (there bool) {
			p.control(t, func(fd int) { there = hasEnded(t, fd) })
			return there
		})
		if n, left, errno := p.receive(t, make([]byte, 8)); n != 4 || left == 0 || errno != 0 {
			t.Errorf("%d received, %d left, %v", n, left, errno)
		}
		if n, _, errno := p.receive(t, make([]byte, 8)); n != 0 || errno != 0 {
			t.Errorf("%d received, %v; want the end", n, errno)
		}
	})
}

// hasEnded reports whether the end of the stream has arrived, without reading anything.
func hasEnded(t testing.TB, fd int) bool {
	poll, err := sys.NewPoll()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = poll.Close() }()
	poll.Add(fd, sys.RDHUP, 0)
	n, _ := poll.Wait(make([]sys.Event, 1), 0)
	return n == 1
}

// Counts are asked for only on TCP: a recvmsg on a unix socket would receive descriptors that are never closed.
func TestAskCountOnlyOnTCP(t *testing.T) {
	onSome(t, both(isSocket, isClear), func(t *testing.T, p *pair) {
		if p.c.inq != notAsked {
			t.Error("the kernel was asked before anybody wanted that")
		}
		p.control(t, p.c.AskCount)
		if tcp := p.network == "tcp"; (p.c.inq == counted) != tcp || p.c.inq == notAsked {
			t.Errorf("inq is %d", p.c.inq)
		}
	})
}

// A sender that passes the descriptor sends through it, also TLS's own output, and with last the closing alert.
func TestInsideTheLatch(t *testing.T) {
	onSome(t, isSocket, func(t *testing.T, p *pair) {
		all := pattern(p.tooMuch())
		got := p.drain()
		b := Batch{A: all[:10], B: all[10:20], More: [][]byte{all[20:]}}
		total := 0
		if err := p.c.Raw().Write(func(fd uintptr) bool {
			n, err := p.c.TrySend(&b, int(fd), true)
			if total += n; err != nil {
				t.Error(err)
				return true
			}
			return b.Empty() && !p.c.Unsent()
		}); err != nil {
			t.Fatal(err)
		}
		if !p.c.CloseWrite() {
			t.Error("CloseWrite has failed")
		}
		same(t, within(t, "the peer", got), all)
		if wire := p.wire.count() - p.sent; total != wire {
			t.Errorf("Send counted %d bytes, %d were received", total, wire)
		}
	})
}

// An error inside the latch comes with the number of bytes that left before.
func TestInsideTheLatchItFails(t *testing.T) {
	onSome(t, isSocket, func(t *testing.T, p *pair) {
		p.control(t, func(fd int) {
			sys.Shutdown(fd, sys.ShutWrite)
			b := Batch{A: []byte("word")}
			if n, err := p.c.TrySend(&b, fd, false); n != 0 || err != syscall.EPIPE {
				t.Errorf("%d, %v; want EPIPE", n, err)
			}
		})
		b := Batch{A: []byte("word")}
		if n, err := p.c.TrySend(&b, NoDescriptor, false); n != 0 || err != syscall.EPIPE {
			t.Errorf("without the descriptor: %d, %v; want EPIPE", n, err)
		}
		if n, err := p.c.Send(&b, false); n != 0 || err != syscall.EPIPE {
			t.Errorf("Send: %d, %v; want EPIPE", n, err)
		}
	})
}

// A small piece before a large one is held back for it, and only until then. On a connection that gives a segment at a
// time nothing waits for a timer.
func TestSmallPiecesLeaveAtOnce(t *testing.T) {
	p := newPair(t, variant{network: "tcp", raw: true})
	for _, sizes := range [][]int{{100}, {100, 100}, {100, separateFrom - 1}, {100, separateFrom}, {100, separateFrom + 1, 100}} {
		var whole []byte
		b := Batch{}
		for _, n := range sizes {
			piece := pattern(n)
			whole = append(whole, piece...)
			b.More = append(b.More, piece)
		}
		got := make(chan []byte, 1)
		go func() {
			all := make([]byte, len(whole))
			n, _ := io.ReadFull(p.far, all)
			got <- all[:n]
		}()
		if _, err := p.c.Send(&b, false); err != nil {
			t.Fatal(err)
		}
		same(t, within(t, "the peer", got), whole)
	}
}

// The number of bytes that the peer has not acknowledged is known for a socket, whether the Conn uses it as one or not.
func TestOutstanding(t *testing.T) {
	onEvery(t, func(t *testing.T, p *pair) {
		record := 0 // a peer that is alive may not show this
		if p.tls != without {
			record = Record
		}
		if p.network == "pipe" {
			if n, leap := p.c.Outstanding(), p.c.WindowStep(); n != 0 || leap != largestWindow/16 {
				t.Errorf("where neither can be known: %d outstanding, window step %d", n, leap)
			}
			return
		}
		b := Batch{A: pattern(p.tooMuch())}
		if p.tls != foreign { // there a write that was cut is the last one
			p.c.WakeWriter()
			_, _ = p.c.Send(&b, false)
			p.c.WriterWoken()
		}
		done := make(chan error, 1)
		go func() {
			_, err := p.c.Send(&b, false)
			done <- err
		}()
		until(t, "something outstanding", func() bool { return p.c.Outstanding() > 1000 })
		all := p.drain()
		if err := within(t, "Send", done); err != nil {
			t.Fatal(err)
		}
		until(t, "everything to be acknowledged", func() bool { return p.c.Outstanding() == 0 })
		if leap := p.c.WindowStep(); p.network == "tcp" && leap < p.tooMuch()/16+record || p.network == "unix" && leap != record {
			t.Errorf("the window step is %d after %d bytes", leap, p.tooMuch())
		}
		p.c.Reset()
		p.c.Close()
		<-all
		if n, leap := p.c.Outstanding(), p.c.WindowStep(); n != 0 || leap != record {
			t.Errorf("on a closed connection: %d outstanding, window step %d", n, leap)
		}
	})
}

// Taken counts what the peer's system has acknowledged on a TCP socket, also after writes from elsewhere; on a unix
// socket, what the peer has read; and otherwise what was written.
func TestTaken(t *testing.T) {
	onSome(t, isClear, func(t *testing.T, p *pair) {
		const size = 5000
		if p.network == "pipe" || p.network == "unix" && !p.raw {
			p.send(t, string(pattern(size)))
			if n := p.c.Taken(size); n != size {
				t.Errorf("taken %d of %d", n, size)
			}
			return
		}
		before := p.c.Taken(0)
		p.send(t, string(pattern(size)))
		if n := p.c.Taken(size) - before; p.network == "unix" && n == size {
			t.Error("a peer that has read nothing has taken everything")
		}
		if p.network == "unix" {
			p.hear(t, string(pattern(size)))
		}
		until(t, "the peer to have taken it", func() bool { return p.c.Taken(size)-before == size })
	})
}

// Below a foreign type the socket's own count is used, because the type may change the number of bytes.
func TestTakenThroughATypeOfSomebodyElses(t *testing.T) {
	near, far := connect(t, variant{network: "tcp"})
	c := new(Conn)
	c.Init(&wiretest.CountedConn{TCPConn: near.(*net.TCPConn)}, true)
	defer func() {
		_ = far.Close()
		c.Close()
	}()
	before := c.Taken(0)
	if _, err := near.Write([]byte("word")); err != nil {
		t.Fatal(err)
	}
	until(t, "the peer to have taken it", func() bool { return c.Taken(1000)-before == 4 })
}

// A receiver is never assumed to buffer more than the system's bound; a new one buffers a few segments.
func TestLeapIsBounded(t *testing.T) {
	p := newPair(t, variant{network: "tcp", raw: true})
	var segment int
	p.control(t, func(fd int) { _, segment = sys.Delivered(fd) })
	if segment == 0 {
		t.Skip("the kernel does not tell")
	}
	if leap := p.c.WindowStep(); leap > 2*segment {
		t.Errorf("the window step is %d, a segment %d", leap, segment)
	}
	go func() { _, _ = io.Copy(io.Discard, p.wire) }()
	if _, err := p.c.Send(&Batch{A: make([]byte, largestWindow+1<<20)}, false); err != nil {
		t.Fatal(err)
	}
	until(t, "everything to be acknowledged", func() bool { return p.c.Outstanding() == 0 })
	p.control(t, func(fd int) { _, segment = sys.Delivered(fd) })
	if leap, want := p.c.WindowStep(), max(2*segment, largestWindow/16); leap != want {
		t.Errorf("leap is %d, want %d", leap, want)
	}
}

func openFile(t testing.TB, content []byte) *os.File {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// SendFile sends pieces of at most the given size, from the file's position to its end.
func TestSendFile(t *testing.T) {
	onSome(t, both(isSocket, isClear), func(t *testing.T, p *pair) {
		all := pattern(p.tooMuch())
		f := openFile(t, all)
		const skipped, most = 100, 300_000
		if _, err := f.Seek(skipped, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		got := p.drain()
		total := 0
		for {
			n, err := p.c.SendFile(int(f.Fd()), -1, most)
			if err != nil || n < 0 || n > most {
				t.Fatalf("SendFile of %d: %d, %v", most, n, err)
			}
			if n == 0 {
				break
			}
			total += n
			if at, _ := f.Seek(0, io.SeekCurrent); at != int64(skipped+total) {
				t.Fatalf("the file stands at %d after %d bytes", at, total)
			}
		}
		p.c.CloseWrite()
		same(t, within(t, "the peer", got), all[skipped:])
	})
}

// SendFile waits for a full socket, within deadlines, and loses nothing.
func TestSendFileIsWoken(t *testing.T) {
	onSome(t, both(isSocket, isClear), func(t *testing.T, p *pair) {
		all := pattern(p.tooMuch())
		f := openFile(t, all)
		total := 0
		done := make(chan error, 1)
		send := func() {
			for {
				n, err := p.c.SendFile(int(f.Fd()), -1, 1<<20)
				if total += n; n == 0 || err != nil {
					done <- err
					return
				}
			}
		}
		go send()
		awaitBlocked(t, "transport.(*Conn).SendFile")
		p.c.WakeWriter()
		if err := within(t, "SendFile", done); !TimedOut(err) || !p.c.WriterWoken() {
			t.Fatalf("SendFile of a woken writer: %v", err)
		}
		got := p.drain()
		go send()
		if err := within(t, "SendFile", done); err != nil || total != len(all) {
			t.Errorf("SendFile: %v, %d of %d bytes", err, total, len(all))
		}
		p.c.CloseWrite()
		same(t, within(t, "the peer", got), all)
	})
}

// SendFile returns an error for a bad file and on a closed connection.
func TestSendFileFails(t *testing.T) {
	p := newPair(t, variant{network: "tcp", raw: true})
	f := openFile(t, []byte("word"))
	if n, err := p.c.SendFile(-1, -1, 8); n != 0 || err != syscall.EBADF {
		t.Errorf("of no file: %d, %v", n, err)
	}
	_ = p.near.Close()
	if n, err := p.c.SendFile(int(f.Fd()), -1, 8); n != 0 || err == nil {
		t.Errorf("on a closed connection: %d, %v", n, err)
	}
}

// Disconnect keeps the descriptor's number: it must not go to another connection while other goroutines use it.
func TestDisconnectKeepsTheDescriptor(t *testing.T) {
	onSome(t, isSocket, func(t *testing.T, p *pair) {
		var before, after syscall.Stat_t
		p.control(t, func(fd int) { _ = syscall.Fstat(fd, &before) })
		p.c.Disconnect()
		p.control(t, func(fd int) { _ = syscall.Fstat(fd, &after) })
		if before.Ino == 0 || before.Ino != after.Ino {
			t.Errorf("the descriptor was socket %d and is %d", before.Ino, after.Ino)
		}
	})
}

// Send does not allocate once a connection has what it needs for that; over TLS it allocates no more than crypto/tls does.
func TestSendAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("under the race detector sync.Pool forgets at random")
	}
	words := [2][]byte{[]byte("some "), []byte("words")}
	onSome(t, isNet, func(t *testing.T, p *pair) {
		allowed := 0.0
		if p.tls != without {
			near, far := connect(t, variant{network: p.network})
			tc := tlsServer(near, serverConfig())
			shakeHands(t, tc.Handshake, tlsClient(far, clientConfig()))
			go func() { _, _ = io.Copy(io.Discard, far) }()
			allowed = 2 * testing.AllocsPerRun(100, func() { _, _ = tc.Write(words[0]) })
			_ = far.Close()
			_ = near.Close()
		}
		go func() { _, _ = io.Copy(io.Discard, p.wire) }()
		var b Batch
		if n := testing.AllocsPerRun(100, func() {
			b = Batch{A: words[0], B: words[1]}
			if _, err := p.c.TrySend(&b, NoDescriptor, false); err != nil {
				t.Error(err)
			}
		}); n > allowed {
			t.Errorf("TrySend: %v allocations, %v are allowed", n, allowed)
		}
		if n := testing.AllocsPerRun(100, func() {
			b = Batch{A: words[0], B: words[1]}
			if _, err := p.c.Send(&b, false); err != nil {
				t.Error(err)
			}
		}); n > allowed {
			t.Errorf("Send: %v allocations, %v are allowed", n, allowed)
		}
	})
}

// An idle connection keeps no writer.
func TestTrimGivesTheWriterBack(t *testing.T) {
	onSome(t, isSocket, func(t *testing.T, p *pair) {
		p.send(t, "word")
		if p.c.w == nil {
			t.Fatal("there is no writer to give back")
		}
		if w := p.c.w; w.batch.A != nil || w.batch.B != nil || w.batch.More != nil {
			t.Error("the writer keeps what it has sent")
		}
		p.c.Trim()
		if p.c.w != nil {
			t.Error("the writer is kept")
		}
		p.send(t, "again")
		p.hear(t, "wordagain")
	})
}

// Raw panics with a clear message for a net.TCPConn that has no socket.
func TestNoRawConn(t *testing.T) {
	defer func() {
		if says, ok := recover().(string); !ok || !strings.HasPrefix(says, "transport: ") {
			t.Errorf("Raw panicked with %q", says)
		}
	}()
	c := new(Conn)
	c.Init(new(net.TCPConn), true)
	c.Raw()
}

// With last, and before a large piece, a small one waits in the socket for what follows, so that it needs no segment of
// its own. Otherwise it leaves at once.
func TestLastBytesAreHeldBack(t *testing.T) {
	for _, last := range []bool{true, false} {
		held, all := 0, 0
		for range 5 { // it waits for 200 ms, within which a busy machine may not look
			p := newPair(t, variant{network: "tcp", raw: true})
			p.control(t, func(fd int) {
				b := Batch{A: []byte("last")}
				if _, err := p.c.TrySend(&b, fd, last); err != nil {
					t.Fatal(err)
				}
				all++
				if unsentBytes(fd) == 4 {
					held++
				}
			})
			if !p.c.CloseWrite() {
				t.Error("CloseWrite has failed")
			}
			p.hear(t, "last")
			p.hearEnd(t)
			if (held > 0) == last {
				break
			}
		}
		if last && held == 0 || !last && held == all {
			t.Errorf("last %v: held back %d times out of %d", last, held, all)
		}
	}
}

// unsentBytes returns how many bytes wait in the socket that have not been sent at all (SIOCOUTQNSD).
func unsentBytes(fd int) int {
	var n int32
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), 0x894B, uintptr(unsafe.Pointer(&n))); errno != 0 {
		return -1
	}
	return int(n)
}

// A connection refuses bytes after a reset, also when the reset was already reported; not after the end of the peer's
// half, nor where the system is not asked.
func TestRefuses(t *testing.T) {
	onSome(t, isClear, func(t *testing.T, p *pair) {
		if p.c.Refuses() {
			t.Error("Refuses is true for a new connection")
		}
		if half, ok := p.wire.Conn.(interface{ CloseWrite() error }); ok {
			_ = half.CloseWrite()
			p.hears(t, io.EOF)
			if p.c.Refuses() {
				t.Error("Refuses is true after the peer has ended its half")
			}
		}
		socket := p.network != "pipe"
		if tcp, ok := p.wire.Conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
		_ = p.far.Close()
		_, _ = p.c.Read(make([]byte, 1)) // the reset is reported here
		if got := p.c.Refuses(); got != socket {
			t.Errorf("Refuses after the peer has gone: %v", got)
		}
	})
}

// hears expects a read to fail with want.
func (p *pair) hears(t testing.TB, want error) {
	t.Helper()
	if n, err := p.c.Read(make([]byte, 1)); n != 0 || err != want {
		t.Errorf("read %d, %v, want %v", n, err, want)
	}
}
