package meter

import (
	"fmt"
	"runtime"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/instructions"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/process"
)

// Usage is the CPU time used during the counted time.
type Usage struct {
	Own    process.CPU
	Target *TargetUsage // nil if there is no -pid or it could not be read
}

// TargetUsage is the usage of the process that -pid names.
type TargetUsage struct {
	PID int
	CPU process.CPU
	RSS int64 // resident memory in bytes at the end

	Executed instructions.Number // 0 if they cannot be counted
}

// Meter reads the CPU time of this process, and of another one if pid is not 0, when counting begins and ends.
type Meter struct {
	pid                 int
	own, other          process.CPU // at begin
	began, ended        bool
	spent, spentByOther process.CPU
	rss                 int64
	counter             *instructions.Counter // instruction counter of the other process, or nil
	executed            instructions.Number
	err                 error // error from reading the other process
}

// New returns an error if the other process cannot be read at all.
func New(pid int) (*Meter, error) {
	m := &Meter{pid: pid}
	if pid == 0 {
		return m, nil
	}
	if runtime.GOOS != "linux" {
		return nil, fmt.Errorf("-pid reads /proc, which %s does not have", runtime.GOOS)
	}
	_, _, err := process.Read(pid)
	return m, err
}

// Begin is called when counting begins.
func (m *Meter) Begin() {
	m.began = true
	m.own.User, m.own.System = process.CPUTime()
	if m.pid != 0 {
		m.counter, _ = instructions.Count(m.pid) // on error only the time is reported
		m.other, _, m.err = process.Read(m.pid)
	}
}

// End is called when counting ends. Later calls do nothing.
func (m *Meter) End() {
	if !m.began || m.ended {
		return
	}
	m.ended = true
	var now process.CPU
	now.User, now.System = process.CPUTime()
	m.spent = now.Minus(m.own)
	if m.pid == 0 || m.err != nil {
		return
	}
	now, m.rss, m.err = process.Read(m.pid)
	m.spentByOther = now.Minus(m.other)
	if m.counter != nil && m.err == nil {
		m.executed, m.err = m.counter.Read()
		m.counter.Close()
	}
}

// Used returns the usage from begin to end. The error says why the other process's usage is missing.
func (m *Meter) Used() (Usage, error) {
	m.End() // an interrupted run may not have called end
	u := Usage{Own: m.spent}
	if m.pid == 0 || m.err != nil || !m.began {
		return u, m.err
	}
	u.Target = &TargetUsage{PID: m.pid, CPU: m.spentByOther, RSS: m.rss, Executed: m.executed}
	return u, nil
}
