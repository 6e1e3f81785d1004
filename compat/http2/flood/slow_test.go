package flood

import (
	"os"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"github.com/shockwave-go/shockwave/compat/internal/both"
)

// hurried is the time for a head that the attacked servers allow here: 10 s by default.
const hurried = time.Second

// When slow attacks must be over: a rate is judged every few seconds, and a stream may wait for a window for a minute.
const (
	within  = both.Patience
	stalled = time.Minute + both.Patience
)

// longEnv is set where attacks may take more than a minute, and net/http's server is attacked as well.
const longEnv = "SHOCKWAVE_FLOOD_LONG"

// slow is an attack that takes time instead of frames: drip is called again and again, a little while apart.
type slow struct {
	name     string
	settings []http2.Setting
	preface  bool // it has not come whole when the dripping begins
	long     bool // it is over after stalled
	streams  int  // that it opens: when the server has ended all of them, that is enough
	begin    func(a *attacker)
	drip     func(a *attacker)
}

func slows() []slow {
	closed := []http2.Setting{{ID: http2.SettingInitialWindowSize, Val: 0}}
	nothing := func(*attacker) {}
	return []slow{
		{name: "half a preface", preface: true, begin: nothing, drip: nothing},
		{name: "a header block that drips", begin: func(a *attacker) { a.headers("GET", "/", true, false) },
			drip: func(a *attacker) { a.WriteContinuation(1, false, []byte{0x82}) }},
		{name: "a header block that does not come", begin: func(a *attacker) { a.headers("GET", "/", true, false) }, drip: nothing},
		{name: "half a frame", begin: func(a *attacker) { a.out.WriteString("\x00\x10\x00\x01\x05\x00\x00\x00\x01\x82") }, drip: nothing},
		{name: "a body that drips", streams: 1, begin: func(a *attacker) { a.headers("POST", "/", false, true, "content-length", "100000") },
			drip: func(a *attacker) { a.WriteData(1, false, []byte("x")) }},
		{name: "a body that does not come", streams: 1, begin: func(a *attacker) { a.headers("POST", "/", false, true) }, drip: nothing},
		{name: "responses behind a window that does not open", long: true, settings: closed, streams: 100, begin: func(a *attacker) {
			for range 100 {
				a.get("/long")
			}
		}, drip: nothing},
		{name: "responses behind a window that opens by a byte", long: true, settings: closed, streams: 1, begin: func(a *attacker) { a.get("/long") },
			drip: func(a *attacker) { a.WriteWindowUpdate(1, 1) }},
		{name: "responses that are not read", long: true, settings: []http2.Setting{{ID: http2.SettingInitialWindowSize, Val: 1<<31 - 1}},
			streams: 10, begin: func(a *attacker) {
				a.WriteWindowUpdate(0, 1<<31-1-65535)
				for range 10 {
					a.get("/long")
				}
			}, drip: nothing},
	}
}

// A client that keeps the server waiting is disconnected in time, and holds a bounded amount of memory.
func TestSlowAttacks(t *testing.T) { carriers(t, testSlowAttacks) }

func testSlowAttacks(t *testing.T, secure bool) {
	t.Parallel()
	for _, s := range slows() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			limit := within
			if s.long {
				if limit = stalled; os.Getenv(longEnv) == "" {
					t.Skip("it takes more than a minute: set " + longEnv)
				}
			}
			eachServer(t, secure, hurried, func(t *testing.T, site *server) {
				if !site.ours {
					return // which waits for ever
				}
				t.Parallel()
				a := attack(t, site, s.settings...)
				a.enough = s.streams
				if s.preface {
					a.out.Truncate(10)
				}
				s.begin(a)
				a.flush(1)
				began := time.Now()
				for range int(limit / (250 * time.Millisecond)) {
					time.Sleep(250 * time.Millisecond) // a slow attacker is one
					s.drip(a)
					if !a.flush(1) || a.over(s.name) {
						break
					}
				}
				a.read()
				got := both.Receive(t, a.fate, "the end of a slow connection")
				t.Logf("after %v: %v", time.Since(began).Round(100*time.Millisecond), &got)
				if err := got.cut(); err != nil {
					t.Error(err)
				}
				site.others(t, 5)
			})
		})
	}
}

// over looks whether the connection has ended, unless the attack is that nobody reads.
func (a *attacker) over(name string) bool {
	if name == "responses that are not read" {
		return false
	}
	a.read()
	select {
	case f := <-a.fate:
		a.fate <- f
		return true
	default:
		return false
	}
}
