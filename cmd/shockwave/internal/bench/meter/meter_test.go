package meter

import (
	"math"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/process"
)

// Both readings of one process agree.
func TestMeterReadsAProcess(t *testing.T) {
	if runtime.GOOS != "linux" {
		if _, err := New(os.Getpid()); err == nil || !strings.Contains(err.Error(), "/proc") {
			t.Errorf("-pid on %s: %v", runtime.GOOS, err)
		}
		return
	}
	m, err := New(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	m.Begin()
	work := 1.0
	for m.spent.User < 100*time.Millisecond {
		for range 1000 {
			work = math.Sqrt(work + 1)
		}
		user, _ := process.CPUTime()
		m.spent.User = user - m.own.User
	}
	m.End()
	u, err := m.Used()
	if err != nil || work == 0 {
		t.Fatal(err)
	}
	if d := (u.Own.User - u.Target.CPU.User).Abs(); d > u.Own.User/2 {
		t.Errorf("%v by one account, %v by the other", u.Own, u.Target.CPU)
	}
	if u.Target.RSS < 1<<20 || u.Target.RSS > 1<<34 {
		t.Errorf("%d bytes are resident", u.Target.RSS)
	}
}

// A process that does not exist, or has ended, is an error.
func TestMeterMissesAProcess(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	gone := exec.Command("sleep", "60")
	if err := gone.Start(); err != nil {
		t.Skip(err)
	}
	pid := gone.Process.Pid
	m, err := New(pid)
	if err != nil {
		t.Fatal(err)
	}
	m.Begin()
	gone.Process.Kill()
	gone.Wait()
	m.End()
	if u, err := m.Used(); err == nil || !strings.Contains(err.Error(), "no process") || u.Target != nil {
		t.Errorf("a process that ended meanwhile: %+v, %v", u, err)
	}
	if _, err := New(pid); err == nil {
		t.Error("a process that is not there was found")
	}
}
