//go:build unix

package mux

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/clitest"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest/breaks"
)

// muxer is shockwave mux -json, whose events are read as they come: they may be looked at in any order.
type muxer struct {
	*clitest.Script
	url string

	mu     sync.Mutex
	log    []clitest.Object
	used   map[int]bool
	more   chan struct{} // closed, and replaced, when there is another event
	ending chan struct{} // closed when there are no more
}

// runMux runs shockwave mux -json.
func runMux(t *testing.T, args ...string) *muxer {
	t.Helper()
	m := &muxer{
		Script: clitest.Run(t, append([]string{"mux", "-json"}, args...)...), used: map[int]bool{},
		more: make(chan struct{}), ending: make(chan struct{}),
	}
	go m.listen()
	return m
}

func (m *muxer) listen() {
	defer close(m.ending)
	for {
		line, err := m.Out.ReadBytes('\n')
		if err != nil {
			return
		}
		e := clitest.Object{}
		if err := json.Unmarshal(line, &e); err != nil {
			m.T.Errorf("%s: %v", line, err)
		}
		m.mu.Lock()
		m.log = append(m.log, e)
		close(m.more)
		m.more = make(chan struct{})
		m.mu.Unlock()
	}
}

// find takes the first event that is like want and that nobody has taken.
func (m *muxer) find(want clitest.Object) (e clitest.Object, more chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, e := range m.log {
		if !m.used[i] && clitest.Like(e, want) {
			m.used[i] = true
			return e, nil
		}
	}
	return nil, m.more
}

// sees waits for events, in any order, each with at least the members given.
func (m *muxer) sees(wants ...string) (last clitest.Object) {
	m.T.Helper()
	for _, want := range wants {
		last = m.seesWithin(clitest.Patience, want)
	}
	return last
}

func (m *muxer) seesWithin(d time.Duration, text string) clitest.Object {
	m.T.Helper()
	want, late := clitest.Parse(m.T, text), time.After(d)
	for {
		e, more := m.find(want)
		if e != nil {
			return e
		}
		select {
		case <-more:
			continue
		case <-m.ending:
			if e, _ := m.find(want); e != nil {
				return e
			}
		case <-late:
		}
		m.T.Fatalf("no %s; there were %v", text, m.told())
	}
}

// told returns all events so far.
func (m *muxer) told() []clitest.Object {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]clitest.Object(nil), m.log...)
}

// count tells how many events there have been that are like want.
func (m *muxer) count(want string) (n int) {
	w := clitest.Parse(m.T, want)
	for _, e := range m.told() {
		if clitest.Like(e, w) {
			n++
		}
	}
	return n
}

// carried says commands and waits until the last one is carried out. Errors are the caller's.
func (m *muxer) carried(lines ...string) {
	m.T.Helper()
	last := len(lines) - 1
	tag := fmt.Sprintf("carried %d", time.Now().UnixNano())
	lines[last] = strings.TrimSuffix(lines[last], "}") + fmt.Sprintf(`,"tag":%q}`, tag)
	m.Say(lines...)
	if e := m.sees(fmt.Sprintf(`{"tag":%q}`, tag)); e["event"] != "ok" {
		m.T.Fatalf("%s: %v", lines[last], e)
	}
}

// ends wants the program to end with code.
func (m *muxer) ends(code int) {
	m.T.Helper()
	select {
	case <-m.ending:
	case <-time.After(clitest.Patience):
		m.T.Fatalf("the program goes on; there were %v", m.told())
	}
	m.Ended = true
	m.Cmd.Wait()
	if got := m.Cmd.ProcessState.ExitCode(); got != code {
		m.T.Errorf("the program ended with %v, want exit code %d", m.Cmd.ProcessState, code)
	}
}

// closes ends the program, and wants that to be in order.
func (m *muxer) closes() {
	m.T.Helper()
	m.Say(`{"do":"close","tag":"end"}`)
	m.sees(`{"event":"ok","tag":"end"}`, `{"event":"closed","undelivered":0}`)
	m.ends(0)
}

// muxPair are a listener and a dialler with a proxy between them.
type muxPair struct {
	far, near *muxer // who listens, and who dials
	proxy     *breaks.Proxy
	scheme    string
}

// muxPairOn starts both; flags are for both.
func muxPairOn(t *testing.T, scheme string, flags ...string) *muxPair {
	t.Helper()
	p := &muxPair{scheme: scheme}
	p.far = runMux(t, append([]string{"-listen", scheme + "://127.0.0.1:0"}, flags...)...)
	p.far.url, _ = p.far.sees(`{"event":"listening"}`)["url"].(string)
	p.proxy = breaks.New(t, strings.TrimPrefix(p.far.url, scheme+"://"))
	p.dial(t, flags...)
	return p
}

// dial starts the dialler.
func (p *muxPair) dial(t *testing.T, flags ...string) {
	t.Helper()
	if p.scheme == "tls" {
		flags = append(flags, "-insecure")
	}
	p.near = runMux(t, append([]string{"-connect", p.scheme + "://" + p.proxy.Addr()}, flags...)...)
	near, far := p.near.sees(`{"event":"session","session":1}`), p.far.sees(`{"event":"session"}`)
	if near["id"] != far["id"] || near["id"] == "" || near["remote"] != p.proxy.Addr() || far["remote"] == "" {
		t.Errorf("sessions: %v and %v", near, far)
	}
}

// onBothSchemes runs a test on tcp and on tls.
func onBothSchemes(t *testing.T, test func(t *testing.T, scheme string)) {
	for _, scheme := range []string{"tcp", "tls"} {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			test(t, scheme)
		})
	}
}
