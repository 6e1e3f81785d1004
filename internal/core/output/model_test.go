package output_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/core/output"
)

// model is the queue as a string: what it must do when no call waits. It writes the log that the sink must write.
type model struct {
	pending string
	shared  int    // how many of the pending bytes are in shared units or before them: the source's bound does not count them
	left    string // of the flight that is left
	isLeft  bool
	held    int
	turn    bool
	late    bool
	failed  bool
	final   bool
	ended   bool
	source  []string
	ready   bool
	takes   []int
	log     []string
	got     string
}

func (m *model) full(size int) bool { return m.pending != "" && len(m.pending)+size > testBound }

func (m *model) busy() bool { return m.failed || m.isLeft }

// flush sends the pending output and then large, as sink.flush does.
func (m *model) flush(large string, how manner, last bool) {
	for {
		b := m.pending
		most := testBound + m.shared
		m.pending, m.shared = "", 0
		if m.ready && len(b) < most {
			for len(m.source) > 0 && len(b) < most {
				b += m.source[0]
				m.source = m.source[1:]
			}
			m.ready = len(m.source) > 0
		}
		b, large = b+large, ""
		line := map[bool]string{true: "try ", false: "send "}[how == trying]
		if last && !m.ready {
			line += "last "
			m.ended = true
		}
		if !m.send(line, b, how) {
			return
		}
		if m.held > 0 || m.pending == "" && !m.ready {
			return
		}
		if how == waiting {
			how = trying
		}
	}
}

// send reports whether all of b left.
func (m *model) send(line, b string, how manner) bool {
	line += brief(b)
	n := len(b)
	if how == trying && len(m.takes) > 0 {
		n, m.takes = min(n, m.takes[0]), m.takes[1:]
	}
	m.got += b[:n]
	if n < len(b) {
		line += fmt.Sprint(" took ", n)
		m.left, m.isLeft = b[n:], true
		m.log = append(m.log, line, "leave")
		return false
	}
	m.log = append(m.log, line)
	return true
}

// has reports whether there is something to send.
func (m *model) has() bool { return m.pending != "" || m.ready }

// refusal is the error of an append.
func (m *model) refusal() error {
	switch {
	case m.failed:
		return errOther
	case m.final:
		return errClosed
	}
	return nil
}

// post reports whether the unit was accepted and is held.
func (m *model) post(u output.Unit, p string, shared bool) (ok, held bool) {
	if m.refusal() == nil && u != output.Final && m.held > 0 && !m.isLeft && m.full(len(p)) {
		m.flush("", trying, false)
	}
	if m.refusal() != nil || u == output.Whole && m.turn || u != output.Final && m.full(len(p)) {
		return false, false
	}
	m.pending += p
	if shared {
		m.shared = len(m.pending)
	}
	if u == output.Final {
		m.final, m.ready = true, false // the source adds nothing after it
	}
	if m.held == 0 && !m.isLeft {
		m.flush("", trying, false)
		return true, false
	}
	return true, m.held > 0
}

// waits reports whether a write would wait.
func (m *model) waits(u output.Unit, size int, large bool) bool {
	return m.refusal() == nil && (u == output.Whole && m.turn || m.isLeft && (large || m.full(size)))
}

func (m *model) write(u output.Unit, p string, large bool) (held bool) {
	if m.refusal() != nil {
		return false
	}
	if u == output.Final {
		m.final, m.ready = true, false
	}
	if large {
		m.flush(p, waiting, false)
		return false
	}
	if m.full(len(p)) {
		m.flush("", waiting, false)
	}
	m.pending += p
	if m.held == 0 && !m.isLeft {
		m.flush("", waiting, false)
	}
	return m.held > 0
}

// The queue agrees with the model over random calls that do not wait. A failure names its seed and says what was done.
func TestAgainstAString(t *testing.T) {
	for seed := range uint64(200) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { compareWithAString(t, rand.New(rand.NewPCG(seed, 11))) })
	}
}

func compareWithAString(t *testing.T, r *rand.Rand) {
	c, m := newTalk(t), &model{}
	s := &source{t: t}
	c.sink.from(s)
	for range 40 {
		n := r.IntN(12)
		m.takes = append(m.takes, n*n)
	}
	c.sink.takes = append(c.sink.takes, m.takes...)
	var shareds []*bufpool.Shared
	var done []string
	for i := 0; i < 60 && !t.Failed(); i++ {
		done = append(done, step(c, m, s, r, i, &shareds))
		c.wantSent("the last step", m.log...)
		m.log = nil
		c.wantPending("the last step", len(m.pending))
		c.want("left", c.q.Left(), m.isLeft)
		c.wantGot("the last step", m.got)
		var err error
		if m.failed {
			err = errOther
		}
		c.wantErr("Err", c.q.Err(), err)
		c.want("TrimIdle", c.sink.TrimIdle(), !m.busy() && m.held == 0 && !m.has() && !m.final && !m.turn)
	}
	if t.Failed() {
		t.Logf("done: %s", strings.Join(done, "; "))
	}
	c.q.Drop()
	for i, p := range shareds {
		c.want(fmt.Sprint("the queue still holds shared unit ", i), !p.Sole(), false)
		p.Release()
	}
}

// step does one operation on the queue and on the model, compares the results and says what it did.
func step(c *talk, m *model, s *source, r *rand.Rand, i int, shareds *[]*bufpool.Shared) (what string) {
	u := output.Unit(r.IntN(20) / 10) // Whole or Part
	if r.IntN(80) == 0 {
		u = output.Final
	}
	size := 1 + r.IntN(30)
	if r.IntN(10) == 0 {
		size = testBound + r.IntN(20)
	}
	p := strings.Repeat(string(rune('A'+i%50)), size)
	switch k := r.IntN(22); k {
	case 0, 1, 2:
		ok, held, err := c.sink.Post(u, []byte(p))
		c.wantErr("Post", err, m.refusal())
		wantOK, wantHeld := m.post(u, p, false)
		c.want("Post is accepted", ok, wantOK)
		c.want("Post is held", held, wantHeld)
		return fmt.Sprint("Post ", u, " ", size)
	case 3, 4:
		shared := shared(p)
		*shareds = append(*shareds, shared)
		ok, held, err := c.sink.PostShared(u, shared)
		c.wantErr("PostShared", err, m.refusal())
		wantOK, wantHeld := m.post(u, p, true)
		c.want("PostShared is accepted", ok, wantOK)
		c.want("PostShared is held", held, wantHeld)
		return fmt.Sprint("PostShared ", u, " ", size)
	case 5, 6, 7:
		large := r.IntN(4) == 0
		if large {
			p += strings.Repeat("L", output.GatherFrom)
		}
		if m.waits(u, len(p), large) || large && m.ready { // see TestSourceDoesNotSplitALargeWrite
			return "-"
		}
		head := min(size, 5)
		held, err := c.sink.Write(c.Context(), u, []byte(p[:head]), []byte(p[head:]))
		c.wantErr("Write", err, m.refusal())
		c.want("Write is held", held, m.write(u, p, large))
		return fmt.Sprint("Write ", u, " ", len(p))
	case 8, 9:
		c.q.Hold()
		m.held++
		return "Hold"
	case 10, 11, 12:
		if m.held == 0 {
			return "-"
		}
		if m.held--; k == 10 {
			c.q.Release()
			return "Release"
		}
		c.wantErr("ReleaseTake", c.sink.ReleaseFlush(), m.err())
		if m.held == 0 && !m.busy() && m.has() {
			m.flush("", latched, false)
		}
		return "ReleaseTake"
	case 13:
		if m.ready {
			return "-" // see TestLateAsksTheSource
		}
		late := !m.late && m.pending != ""
		c.want("NeedsTick", c.q.NeedsTick(), late)
		m.late = m.late || late
		return "NeedsTick"
	case 14:
		if m.isLeft {
			return "-" // see TestLateWhileFlushing
		}
		m.late = false
		c.sink.EndTick()
		if !m.busy() && m.has() {
			m.flush("", trying, false)
		}
		return "EndTick"
	case 15:
		if m.isLeft {
			return "-"
		}
		c.wantErr("Take", c.sink.Take(), m.err())
		if !m.busy() && m.has() {
			m.flush("", trying, false)
		}
		return "Take"
	case 16:
		c.sink.TakeNone()
		if !m.busy() {
			m.flush("", trying, false)
		}
		return "TakeNone"
	case 17:
		if r.IntN(2) == 0 && m.turn {
			c.q.EndParts()
			m.turn = false
			return "EndParts"
		}
		c.want("TryParts", c.q.TryParts(), !m.turn)
		m.turn = true
		return "TryParts"
	case 18, 19:
		c.sink.resume()
		if m.isLeft {
			m.isLeft = false
			if m.send("try ", m.left, trying) && m.held == 0 && m.has() {
				m.flush("", trying, false)
			}
		}
		return "resume"
	case 20:
		if m.final {
			return "-" // see TestDrawAfterFinal
		}
		s.units = append(s.units, strings.Repeat("s", r.IntN(40)))
		m.source = append(m.source, s.units[len(s.units)-1])
		c.sink.Draw()
		m.ready = true
		if m.held == 0 && !m.busy() {
			m.flush("", trying, false)
		}
		return "Draw"
	}
	return end(c, m, r)
}

// end does some operations that are rare in conversations.
func end(c *talk, m *model, r *rand.Rand) string {
	switch k := r.IntN(8); {
	case k == 0:
		c.q.Fail(errOther)
		m.failed, m.isLeft = true, false
		c.sink.parked = false
		return "Fail"
	case k <= 2 && !m.isLeft:
		c.wantErr("Drain", c.sink.Flush(), m.err())
		for !m.busy() && m.has() {
			m.flush("", waiting, false)
		}
		if m.isLeft {
			c.Fatal("the model waits")
		}
		return "Flush"
	case k == 3 && !m.isLeft:
		c.wantErr("End", c.sink.End(), m.err())
		m.final = true
		for !m.busy() && !m.ended {
			m.flush("", latched, true)
		}
		return "End"
	}
	return "-"
}

func (m *model) err() error {
	if m.failed {
		return errOther
	}
	return nil
}
