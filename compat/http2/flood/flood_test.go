package flood

import (
	"io"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// What the servers serve: some of it waits, some is long.
func serve(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/wait":
		<-r.Context().Done()
	case "/long":
		for b := make([]byte, 32<<10); ; {
			if _, err := w.Write(b); err != nil {
				return
			}
		}
	default:
		io.Copy(io.Discard, r.Body)
		io.WriteString(w, "served")
	}
}

const (
	perFlood = 5 // attackers at once
	// mayHold is by how much the heap may grow, in bytes, under attack by all of one kind.
	mayHold = 16 << 20
)

// A client that sends frames without progress is disconnected, after a bounded amount of work.
func TestFloods(t *testing.T) { carriers(t, testFloods) }

func testFloods(t *testing.T, secure bool) {
	for _, f := range floods() {
		t.Run(f.name, func(t *testing.T) {
			eachServer(t, secure, 0, func(t *testing.T, s *server) {
				if !s.ours && os.Getenv(longEnv) == "" {
					t.Skip("nothing is demanded of it, and it takes long: set " + longEnv)
				}
				s.others(t, 20)
				before := heap()
				var all []*attacker
				for range perFlood {
					a := attack(t, s, f.settings...)
					f.play(a)
					all = append(all, a)
				}
				s.others(t, 50) // while all of them are connected
				for _, a := range all {
					got := a.ask(t)
					t.Logf("%d frames: %v", a.sent, &got)
					if err := got.cut(); err != nil && s.ours {
						t.Errorf("after %d frames: %v", a.sent, err)
					}
				}
				if now := heap(); s.ours && now > before+mayHold {
					t.Errorf("%d KiB are in use, %d KiB before", now>>10, before>>10)
				}
				s.others(t, 20)
			})
		})
	}
}

// play sends as many frames as it may at most.
func (f *flood) play(a *attacker) {
	if f.begin != nil {
		f.begin(a)
	}
	if !f.blind {
		a.read()
	}
	const batch = 50 // frames in a system call
	for i := 0; a.sent < limit; {
		n := 0
		for ; n < batch; n += f.frames {
			f.again(a, i)
			i++
		}
		if !a.flush(n) {
			return
		}
	}
}

// heap returns the bytes of the heap in use.
func heap() uint64 {
	runtime.GC()
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse
}

// others has an honest client ask n times. None may wait for long.
func (s *server) others(t *testing.T, n int) {
	t.Helper()
	for range n {
		began := time.Now()
		scheme := "http://"
		if s.tls != nil {
			scheme = "https://"
		}
		res, err := s.client.Get(scheme + s.addr + "/")
		if err != nil {
			t.Fatalf("another client: %v", err)
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if took := time.Since(began); err != nil || string(body) != "served" || took > 2*time.Second {
			t.Errorf("another client: %q, %v, after %v", body, err, took)
		}
	}
}
