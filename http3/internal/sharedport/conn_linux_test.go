package sharedport

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/ipv4"
	"golang.org/x/sys/unix"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// rig is a socket of process 1, and a client.
type rig struct {
	*testing.T
	c      *conn
	dir    string
	keys   *keyring
	client *net.UDPConn
	sent   atomic.Int64
	now    time.Time
}

func newRig(t *testing.T) *rig {
	r := &rig{T: t, dir: shortDir(t), keys: testKeys(t, 1), now: time.Unix(1, 0)}
	pc, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	peers := newPeers(r.path, &r.sent)
	peers.now = func() time.Time { return r.now }
	r.c = newConn(pc, r.keys, 1, peers)
	if r.client, err = net.DialUDP("udp", nil, pc.LocalAddr().(*net.UDPAddr)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		r.client.Close()
		pc.Close()
		peers.close()
	})
	return r
}

// shortDir returns a directory whose path is short enough for names of sockets in it.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "h3")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func (r *rig) path(process uint16) string {
	return filepath.Join(r.dir, fmt.Sprint(process)+socketSuffix)
}

// inbox opens the socket of a process.
func (r *rig) inbox(process uint16) (in *inbox, got chan string) {
	r.Helper()
	got = make(chan string, 100)
	ours := func(p []byte) bool {
		of, ok := processOf(r.keys.id, destination(p))
		return ok && of == process
	}
	in, err := openInbox(r.path(process), r.path(process)+lockSuffix, ours, func(p *passed) {
		got <- fmt.Sprint(p.from, " ", string(p.packet[1+idLen:]))
	})
	if err != nil {
		r.Fatal(err)
	}
	return in, got
}

// packet returns a packet of a connection of a process.
func (r *rig) packet(process uint16, text string) []byte {
	return append(appendID([]byte{0x41}, r.keys.id, process), text...)
}

// send sends a packet as the client.
func (r *rig) send(process uint16, text string) {
	r.Helper()
	if _, err := r.client.Write(r.packet(process, text)); err != nil {
		r.Fatal(err)
	}
}

// put puts a packet into the queue, as from another process.
func (r *rig) put(text string) {
	r.c.put(&passed{r.client.LocalAddr().(*net.UDPAddr), []byte("control"), r.packet(1, text)})
}

// messages returns room for n packets.
func messages(n int) []ipv4.Message {
	ms := make([]ipv4.Message, n)
	for i := range ms {
		ms[i].Buffers, ms[i].OOB = [][]byte{make([]byte, maxPacket)}, make([]byte, maxControl)
	}
	return ms
}

// read reads the texts of packets.
func (r *rig) read(most int) (texts []string) {
	r.Helper()
	ms := messages(most)
	n, err := r.c.ReadBatch(ms, 0)
	if err != nil {
		return []string{err.Error()}
	}
	for _, m := range ms[:n] {
		if m.Addr.String() != r.client.LocalAddr().String() {
			r.Errorf("%q is from %v", m.Buffers[0][:m.N], m.Addr)
		}
		texts = append(texts, string(m.Buffers[0][1+idLen:m.N]))
	}
	return texts
}

func (r *rig) want(what string, got any, want any) {
	r.Helper()
	if got, want := fmt.Sprint(got), fmt.Sprint(want); got != want {
		r.Errorf("%s: %s, want %s", what, got, want)
	}
}

// Packets of other processes are passed on, the others stay in order, and all keep the client's address.
func TestSort(t *testing.T) {
	r := newRig(t)
	in, got := r.inbox(2)
	defer in.close()
	for _, p := range []struct {
		process uint16
		text    string
	}{{2, "a"}, {1, "b"}, {2, "c"}, {9, "d"}, {1, "e"}, {2, "f"}} {
		r.send(p.process, p.text)
	}
	var all []string
	for len(all) < 3 {
		all = append(all, r.read(8)...)
	}
	r.want("kept", all, "[b d e]")
	r.put("g") // so that the reader need not wait for what is passed on
	r.want("queued", r.read(8), "[g]")
	for _, want := range []string{"a", "c", "f"} {
		r.want("passed on", wiretest.Within(t, want, got), r.client.LocalAddr().String()+" "+want)
	}
	r.want("counted", r.sent.Load(), 3)
}

// The socket and the queue take turns, so neither delays the other.
func TestTurns(t *testing.T) {
	r := newRig(t)
	for i := range 4 {
		r.send(1, fmt.Sprint("s", i))
		r.put(fmt.Sprint("q", i))
	}
	var all []string
	for range 8 {
		all = append(all, r.read(1)...)
	}
	r.want("read", all, "[s0 q0 s1 q1 s2 q2 s3 q3]")
	r.put("q4") // the socket's turn: it has nothing
	r.want("read", r.read(1), "[q4]")
}

// A packet in the queue wakes the reader that waits for the socket, each time, and leaves no deadline behind.
func TestWoken(t *testing.T) {
	r := newRig(t)
	got := make(chan []string)
	go func() {
		for range 41 {
			got <- r.read(8)
		}
	}()
	waiting := func() bool {
		r.c.mu.Lock()
		defer r.c.mu.Unlock()
		return r.c.waiting
	}
	for i := range 20 {
		wiretest.Eventually(t, "the reader to wait", waiting)
		r.put(fmt.Sprint("q", i))
		r.want("queue", wiretest.Within(t, "the queue", got), fmt.Sprintf("[q%d]", i))
		r.send(1, fmt.Sprint("s", i))
		r.want("socket", wiretest.Within(t, "the socket", got), fmt.Sprintf("[s%d]", i))
	}
	r.c.SetReadDeadline(past) // as QUIC does at the end
	if err := wiretest.Within(t, "the end", got); len(err) != 1 || err[0] == "" {
		t.Errorf("got %q, want one error", err)
	}
	r.put("late")
	if _, err := r.c.ReadBatch(messages(1), 0); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error(err)
	}
	if _, err := r.c.ReadBatch(messages(1), 0); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error(err)
	}
}

// Packets from other processes take a bounded amount of memory.
func TestQueueIsBounded(t *testing.T) {
	r := newRig(t)
	for i := range 3 * maxQueued {
		r.put(fmt.Sprint(i))
	}
	var all []string
	r.c.fromQueue = true
	for len(all) < maxQueued {
		all = append(all, r.read(100)...)
	}
	r.want("the first", all[0], 0)
	r.want("the last", all[len(all)-1], maxQueued-1)
	r.send(1, "s")
	r.want("then", r.read(8), "[s]")
	if len(r.c.spare) > maxSpare {
		t.Errorf("the memory of %d packets is kept", len(r.c.spare))
	}
}

// Packets for a process that is absent stay here, and the process is looked for again after a while; one that has restarted is
// found at once.
func TestAbsent(t *testing.T) {
	r := newRig(t)
	send := func() bool {
		return r.c.peers.send(2, &passed{r.client.LocalAddr().(*net.UDPAddr), nil, r.packet(2, "x")})
	}
	r.want("absent", send(), false)
	in, got := r.inbox(2)
	r.want("it is not looked for again", send(), false)
	r.now = r.now.Add(absentFor)
	r.want("it is there", send(), true)
	wiretest.Within(t, "the packet", got)
	in.close()
	in, got = r.inbox(2)
	r.want("it has started anew", send(), true)
	wiretest.Within(t, "the packet", got)
	in.close()
	r.want("it is gone", send(), false)
	if err := os.Remove(r.path(2)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("its socket is left over: %v", err)
	}
}

// The socket file of a killed process does no harm: packets for it stay here, and it can start again.
func TestKilled(t *testing.T) {
	r := newRig(t)
	l, err := net.ListenUnix("unixpacket", &net.UnixAddr{Name: r.path(2), Net: "unixpacket"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	l.Close()
	r.want("killed", r.c.peers.send(2, &passed{r.client.LocalAddr().(*net.UDPAddr), nil, r.packet(2, "x")}), false)
	in, _ := r.inbox(2)
	defer in.close()
}

// A second process with the same number is refused.
func TestNumberIsTaken(t *testing.T) {
	r := newRig(t)
	in, _ := r.inbox(2)
	defer in.close()
	again, err := openInbox(r.path(2), r.path(2)+lockSuffix, nil, nil)
	if err == nil {
		again.close()
		t.Fatal("the number was given twice")
	}
	r.want("error", err, "number in use by another process, which holds "+r.path(2)+lockSuffix)
}

// Packets for a process that reads nothing are dropped, and nobody waits.
func TestOwnerIsBusy(t *testing.T) {
	r := newRig(t)
	l, err := net.ListenUnix("unixpacket", &net.UnixAddr{Name: r.path(2), Net: "unixpacket"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	p := &passed{r.client.LocalAddr().(*net.UDPAddr), nil, append(r.packet(2, ""), make([]byte, 1200)...)}
	const n = 20_000
	for range n {
		r.want("sent", r.c.peers.send(2, p), true)
	}
	if sent := r.sent.Load(); sent == 0 || sent == n {
		t.Errorf("%d packets were sent", sent)
	}
}

// New connections are passed on to another process, always the same one until it is gone; without another process they stay here.
func TestSendNew(t *testing.T) {
	r := newRig(t)
	first := func(id string) []byte { return append([]byte{0xc3, 0, 0, 0, 1, byte(len(id))}, id...) }
	p := &passed{r.client.LocalAddr().(*net.UDPAddr), nil, first("12345678")}
	send := func(id string) bool {
		r.now = r.now.Add(listFor)
		return r.c.peers.sendNew(1, []byte(id), p)
	}
	r.want("nobody else is there", send("a"), false)
	got := make(chan int, 100)
	inboxes := map[int]*inbox{}
	for process := range 4 { // 1 is this one
		in, err := openInbox(r.path(uint16(process)), r.path(uint16(process))+lockSuffix, func([]byte) bool { return true }, func(*passed) { got <- process })
		if err != nil {
			t.Fatal(err)
		}
		inboxes[process] = in
	}
	seen := map[int]bool{}
	for i := range 20 {
		id := fmt.Sprint("id", i)
		r.want("sent", send(id), true)
		at := wiretest.Within(t, "the packet", got)
		for range 3 {
			r.want("sent", send(id), true)
			r.want("the next one", wiretest.Within(t, "the packet", got), at)
		}
		seen[at] = true
	}
	if len(seen) != 3 || seen[1] {
		t.Errorf("got %v, want three processes without number 1", seen)
	}
	for _, in := range inboxes {
		in.close()
	}
	r.want("all are gone", send("a"), false)
}

// A packet from another process is accepted if it belongs to one of our connections, or may begin one while we accept.
func TestTakes(t *testing.T) {
	r := newRig(t)
	begins := append([]byte{0xc3, 0, 0, 0, 1, 8}, "12345678rest"...)
	for _, draining := range []bool{false, true} {
		r.c.draining.Store(draining)
		r.want("ours", r.c.takes(r.packet(1, "x")), true)
		r.want("another's", r.c.takes(r.packet(2, "x")), false)
		r.want("nobody's", r.c.takes(append([]byte{0x41}, "12345678901234567890"...)), false)
		r.want("a new one", r.c.takes(begins), !draining)
	}
}

// Malformed or foreign datagrams, and control messages that would break QUIC's socket, are dropped; later ones arrive.
func TestInboxRefuses(t *testing.T) {
	r := newRig(t)
	in, got := r.inbox(2)
	defer in.close()
	c, err := net.DialUnix("unixpacket", nil, &net.UnixAddr{Name: r.path(2), Net: "unixpacket"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	from := &net.UDPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 5}
	datagram := func(control, packet []byte) []byte {
		b, ok := (&passed{from, control, packet}).append(nil)
		if !ok {
			t.Fatal("it cannot be written")
		}
		return b
	}
	info := (&ipv4.ControlMessage{Src: net.IPv4(127, 0, 0, 1)}).Marshal()
	for _, b := range [][]byte{
		{passedVersion}, make([]byte, 3*maxPassed), // cut
		append([]byte{2}, datagram(nil, r.packet(2, "version"))[1:]...),
		datagram(nil, r.packet(1, "ours")), datagram(nil, r.packet(3, "another's")), datagram(nil, []byte("short")),
		datagram([]byte("garbage"), r.packet(2, "garbage")), datagram(unix.UnixRights(0), r.packet(2, "unknown control message")),
		datagram(info[:len(info)-5], r.packet(2, "cut control message")),
		datagram(info, r.packet(2, "fine")),
	} {
		if _, err := c.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	r.want("arrived", wiretest.Within(t, "the last one", got), "192.0.2.1:5 fine")
}
