package main

import (
	"math"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestParseStat(t *testing.T) {
	const line = "4711 (a b) c) S 1 4711 4711 0 -1 4194560 5 0 0 0 210 690 3 4 20 0 9 0 77 1073741824 5888 18446744073709551615 1 1"
	used, pages, err := parseStat([]byte(line))
	if want := (cpu{2100 * time.Millisecond, 6900 * time.Millisecond}); err != nil || used != want || pages != 5888 {
		t.Errorf("got %v, %d pages, %v", used, pages, err)
	}
	for _, bad := range []string{"", "4711 (x) S 1", strings.Replace(line, "690", "x", 1)} {
		if _, _, err := parseStat([]byte(bad)); err == nil {
			t.Errorf("%q was understood", bad)
		}
	}
}

// TestMeterReadsAProcess has the meter watch the test itself, so that both its readings are of the same process.
func TestMeterReadsAProcess(t *testing.T) {
	if runtime.GOOS != "linux" {
		if _, err := newMeter(os.Getpid()); err == nil || !strings.Contains(err.Error(), "/proc") {
			t.Errorf("-pid on %s: %v", runtime.GOOS, err)
		}
		return
	}
	m, err := newMeter(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	m.begin()
	work := 1.0
	for m.spent.user < 100*time.Millisecond {
		for range 1000 {
			work = math.Sqrt(work + 1)
		}
		user, _ := cpuTime()
		m.spent.user = user - m.own.user
	}
	m.end()
	u, err := m.used()
	if err != nil || work == 0 {
		t.Fatal(err)
	}
	if d := (u.own.user - u.target.cpu.user).Abs(); d > u.own.user/2 {
		t.Errorf("%v by one account, %v by the other", u.own, u.target.cpu)
	}
	if u.target.rss < 1<<20 || u.target.rss > 1<<34 {
		t.Errorf("%d bytes are resident", u.target.rss)
	}
}

func TestMeterMissesAProcess(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	gone := exec.Command("sleep", "60")
	if err := gone.Start(); err != nil {
		t.Skip(err)
	}
	pid := gone.Process.Pid
	m, err := newMeter(pid)
	if err != nil {
		t.Fatal(err)
	}
	m.begin()
	gone.Process.Kill()
	gone.Wait()
	m.end()
	if u, err := m.used(); err == nil || !strings.Contains(err.Error(), "no process") || u.target != nil {
		t.Errorf("a process that ended meanwhile: %+v, %v", u, err)
	}
	if _, err := newMeter(pid); err == nil {
		t.Error("a process that is not there was found")
	}
}
