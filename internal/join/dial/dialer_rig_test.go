package dial

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// world is the network around a Dialer in a synctest bubble: the addresses of names, and what each address does. An address
// without a behaviour never responds.
type world struct {
	*Dialer
	t *testing.T

	mu      sync.Mutex
	begun   time.Time
	names   map[string]string        // addresses with spaces between
	broken  error                    // what the resolver says instead
	slow    time.Duration            // how long it takes
	asked   []string                 // when it was asked for what
	ended   int                      // look-ups that ended with their context
	refuses map[string]error         // by address
	opens   map[string]time.Duration // by address
	stays   map[string]bool          // addresses whose attempts do not end with their context
	tried   []string                 // when which address was
	open    map[string]int           // connections, by address
}

// inWorld runs test in a bubble; nothing may be left open afterwards.
func inWorld(t *testing.T, test func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, begun: time.Now(), names: map[string]string{}, refuses: map[string]error{}, opens: map[string]time.Duration{}, stays: map[string]bool{}, open: map[string]int{}}
		w.Dialer = &Dialer{Resolver: w, Connect: w.connect}
		test(w)
		synctest.Wait()
		for ip, n := range w.open {
			if n != 0 {
				t.Errorf("%d connections to %s are left open", n, ip)
			}
		}
		if len(w.lookups) > 0 {
			t.Errorf("%d look-ups are left", len(w.lookups))
		}
	})
}

// now is the time in the bubble, as text.
func (w *world) now() string { return time.Since(w.begun).String() }

// LookupIPAddr implements Resolver.
func (w *world) LookupIPAddr(ctx context.Context, host string) ([]net.IPAddr, error) {
	w.mu.Lock()
	w.asked = append(w.asked, w.now()+" "+host)
	slow := w.slow
	w.mu.Unlock()
	select {
	case <-time.After(slow):
	case <-ctx.Done():
		w.mu.Lock()
		defer w.mu.Unlock()
		w.ended++
		return nil, ctx.Err()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.broken != nil {
		return nil, w.broken
	}
	var found []net.IPAddr
	for ip := range strings.FieldsSeq(w.names[host]) {
		a := netip.MustParseAddr(ip)
		found = append(found, net.IPAddr{IP: net.IP(a.AsSlice()).To16(), Zone: a.Zone()})
	}
	return found, nil
}

// connect is the Dialer's Connect.
func (w *world) connect(ctx context.Context, _, addr string) (net.Conn, error) {
	at := netip.MustParseAddrPort(addr)
	ip := at.Addr().String()
	w.mu.Lock()
	w.tried = append(w.tried, w.now()+" "+ip)
	after, opens := w.opens[ip]
	refusal, stays := w.refuses[ip], w.stays[ip]
	w.mu.Unlock()
	failed := func(err error) error {
		return &net.OpError{Op: "dial", Net: "tcp", Addr: net.TCPAddrFromAddrPort(at), Err: err}
	}
	switch {
	case refusal != nil:
		return nil, failed(os.NewSyscallError("connect", refusal))
	case !opens:
		<-ctx.Done()
		return nil, failed(ctx.Err())
	case stays:
		time.Sleep(after)
	default:
		select {
		case <-time.After(after):
		case <-ctx.Done():
			return nil, failed(ctx.Err())
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open[ip]++
	return &line{world: w, ip: ip}, nil
}

// line is a connection.
type line struct {
	net.Conn
	world *world
	ip    string
}

// Close implements net.Conn.
func (l *line) Close() error {
	l.world.mu.Lock()
	defer l.world.mu.Unlock()
	l.world.open[l.ip]--
	return nil
}

// dial dials and returns the result, such as "250ms 192.0.2.1". The connection is closed.
func (w *world) dial(ctx context.Context, addr string) (string, error) {
	nc, err := w.DialContext(ctx, "tcp", addr)
	if err != nil {
		if nc != nil {
			w.t.Errorf("a %T beside the error %v", nc, err)
		}
		return w.now(), err
	}
	nc.Close()
	return w.now() + " " + nc.(*line).ip, nil
}

// reaches dials and wants a connection to ip.
func (w *world) reaches(addr, ip string) {
	w.t.Helper()
	got, err := w.dial(w.t.Context(), addr)
	if _, to, _ := strings.Cut(got, " "); err != nil || to != ip {
		w.t.Errorf("at %s, %v; want %s", got, err, ip)
	}
}

// wantLines compares the recorded lines, and clears them.
func (w *world) wantLines(what string, noted *[]string, want ...string) {
	w.t.Helper()
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	if got := strings.Join(*noted, ", "); got != strings.Join(want, ", ") {
		w.t.Errorf("%s %s\n want %s", what, got, strings.Join(want, ", "))
	}
	*noted = nil
}

// wantTried wants these attempts since its last call.
func (w *world) wantTried(want ...string) { w.t.Helper(); w.wantLines("tried", &w.tried, want...) }

// wantAsked wants these look-ups since its last call.
func (w *world) wantAsked(want ...string) { w.t.Helper(); w.wantLines("asked", &w.asked, want...) }

// refuse makes addresses refuse connections.
func (w *world) refuse(ips ...string) {
	for _, ip := range ips {
		w.refuses[ip] = syscall.ECONNREFUSED
	}
}

// accept makes addresses open connections at once.
func (w *world) accept(ips ...string) {
	for _, ip := range ips {
		w.opens[ip] = 0
	}
}

// many returns n addresses, v6 and v4 in turn.
func many(n int) (list string) {
	for i := range n {
		if i%2 == 0 {
			list += fmt.Sprintf("2001:db8::%x ", i/2+1)
		} else {
			list += fmt.Sprintf("192.0.2.%d ", i/2+1)
		}
	}
	return list
}
