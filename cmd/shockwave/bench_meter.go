package main

import (
	"fmt"
	"runtime"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/instructions"
)

// cpu is CPU time.
type cpu struct{ user, system time.Duration }

func (c cpu) minus(d cpu) cpu { return cpu{c.user - d.user, c.system - d.system} }

// cpuUsage is the CPU time used during the counted time.
type cpuUsage struct {
	own    cpu
	target *targetUsage // nil if there is no -pid or it could not be read
}

// targetUsage is the usage of the process that -pid names.
type targetUsage struct {
	pid int
	cpu cpu
	rss int64 // resident memory in bytes at the end

	executed instructions.Number // 0 if they cannot be counted
}

// meter reads the CPU time of this process, and of another one if pid is not 0, when counting begins and ends.
type meter struct {
	pid                 int
	own, other          cpu // at begin
	began, ended        bool
	spent, spentByOther cpu
	rss                 int64
	counter             *instructions.Counter // instruction counter of the other process, or nil
	executed            instructions.Number
	err                 error // error from reading the other process
}

// newMeter returns an error if the other process cannot be read at all.
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
		m.counter, _ = instructions.Count(m.pid) // on error only the time is reported
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

// used returns the usage from begin to end. The error says why the other process's usage is missing.
func (m *meter) used() (cpuUsage, error) {
	m.end() // an interrupted run may not have called end
	u := cpuUsage{own: m.spent}
	if m.pid == 0 || m.err != nil || !m.began {
		return u, m.err
	}
	u.target = &targetUsage{pid: m.pid, cpu: m.spentByOther, rss: m.rss, executed: m.executed}
	return u, nil
}
