package main

import (
	"fmt"
	"runtime"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/instructions"
)

// cpu is processor time.
type cpu struct{ user, system time.Duration }

func (c cpu) minus(d cpu) cpu { return cpu{c.user - d.user, c.system - d.system} }

// expense is what a run has used of the processors between the borders of counting.
type expense struct {
	own    cpu
	target *targetExpense // nil: none was asked for, or it could not be read
}

// targetExpense is the part of another process.
type targetExpense struct {
	pid int
	cpu cpu
	rss int64 // bytes that were resident in memory at the end

	executed instructions.Number // 0 where they cannot be counted
}

// meter reads the processor time of this process, and of another one if pid is not 0, when counting begins and ends.
type meter struct {
	pid                 int
	own, other          cpu // when counting began
	began, ended        bool
	spent, spentByOther cpu
	rss                 int64
	counter             *instructions.Counter // of the other process; nil where there is none
	executed            instructions.Number
	err                 error // from reading the other process
}

// newMeter fails if the other process cannot be read at all.
func newMeter(pid int) (*meter, error) {
	m := &meter{pid: pid}
	if pid == 0 {
		return m, nil
	}
	if runtime.GOOS != "linux" {
		return nil, fmt.Errorf("-pid reads /proc, which %s does not have", runtime.GOOS)
	}
	_, _, err := readProcess(pid)
	return m, err
}

func (m *meter) begin() {
	m.began = true
	m.own.user, m.own.system = cpuTime()
	if m.pid != 0 {
		m.counter, _ = instructions.Count(m.pid) // where there are none the time must do
		m.other, _, m.err = readProcess(m.pid)
	}
}

func (m *meter) end() {
	if !m.began || m.ended {
		return
	}
	m.ended = true
	var now cpu
	now.user, now.system = cpuTime()
	m.spent = now.minus(m.own)
	if m.pid == 0 || m.err != nil {
		return
	}
	now, m.rss, m.err = readProcess(m.pid)
	m.spentByOther = now.minus(m.other)
	if m.counter != nil && m.err == nil {
		m.executed, m.err = m.counter.Read()
		m.counter.Close()
	}
}

// used is what was used from begin to end; the error says why the other process's part is missing.
func (m *meter) used() (expense, error) {
	m.end() // a run that was interrupted may have ended without saying so
	u := expense{own: m.spent}
	if m.pid == 0 || m.err != nil || !m.began {
		return u, m.err
	}
	u.target = &targetExpense{pid: m.pid, cpu: m.spentByOther, rss: m.rss, executed: m.executed}
	return u, nil
}
