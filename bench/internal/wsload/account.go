package wsload

import (
	"syscall"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/load"
	"github.com/shockwave-go/shockwave/bench/internal/process"
)

// Options describe the load.
type Options struct {
	Addr             string
	PID              int // the server's process id
	Conns            int
	Warmup, Duration time.Duration
}

// Moment is a reading of the wall clock and of the CPU times.
type Moment struct {
	at           time.Time
	user, system float64        // the server's CPU time, in seconds
	own          syscall.Rusage // of this process
}

// Look reads the clocks; pid is the server's.
func Look(pid int) (m Moment, err error) {
	if m.user, m.system, err = process.Times(pid); err != nil {
		return m, err
	}
	err = syscall.Getrusage(syscall.RUSAGE_SELF, &m.own)
	m.at = time.Now()
	return m, err
}

// Since returns the account of the time between two moments, in which done operations were completed.
func (m *Moment) Since(began *Moment, done int64) *load.Account {
	a := &load.Account{Requests: done, Elapsed: m.at.Sub(began.at).Seconds()}
	a.Rate = float64(done) / a.Elapsed
	a.Target.User, a.Target.System = m.user-began.user, m.system-began.system
	a.CPU.User = seconds(m.own.Utime) - seconds(began.own.Utime)
	a.CPU.System = seconds(m.own.Stime) - seconds(began.own.Stime)
	return a
}

func seconds(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
