package wsload

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/load"
)

// Options say what load is made.
type Options struct {
	Addr             string
	PID              int // the server's
	Conns            int
	Warmup, Duration time.Duration
}

// moment is what the clocks said at one time.
type moment struct {
	at           time.Time
	user, system float64 // of the server, in seconds
	own          syscall.Rusage
}

// look reads the clocks.
func look(pid int) (m moment, err error) {
	if m.user, m.system, err = processTime(pid); err != nil {
		return m, err
	}
	err = syscall.Getrusage(syscall.RUSAGE_SELF, &m.own)
	m.at = time.Now()
	return m, err
}

// since is the account of done operations between two moments.
func (m *moment) since(began *moment, done int64) *load.Account {
	a := &load.Account{Requests: done, Elapsed: m.at.Sub(began.at).Seconds()}
	a.Rate = float64(done) / a.Elapsed
	a.Target.User, a.Target.System = m.user-began.user, m.system-began.system
	a.CPU.User = seconds(m.own.Utime) - seconds(began.own.Utime)
	a.CPU.System = seconds(m.own.Stime) - seconds(began.own.Stime)
	return a
}

func seconds(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }

// processTime returns the processor time that a process has used, in seconds, as /proc/PID/stat tells it: in steps of
// 10 ms. Fields are counted from behind the program's name, which may hold anything.
func processTime(pid int) (user, system float64, err error) {
	const userField, systemField, hertz = 11, 12, 100
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, 0, err
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) <= systemField {
		return 0, 0, fmt.Errorf("/proc/%d/stat is too short", pid)
	}
	user, err = strconv.ParseFloat(string(fields[userField]), 64)
	system, err2 := strconv.ParseFloat(string(fields[systemField]), 64)
	return user / hertz, system / hertz, errors.Join(err, err2)
}
