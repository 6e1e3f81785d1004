package main

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// farNeeds skips tests that simulate a network where that is not possible.
func farNeeds(t *testing.T) {
	if _, err := exec.LookPath("ip"); err != nil || os.Geteuid() != 0 {
		t.Skip("it needs root, and the program ip")
	}
	f, err := os.OpenFile("/dev/net/tun", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	f.Close()
}

// Over a network streamsock leaves the window to the system, and for a peer on the same host it does not.
func TestFarPeers(t *testing.T) {
	farNeeds(t)
	out, errors, code := said(t, "far", "-d", "300ms", "-delay", "5ms")
	if code != 0 && strings.Contains(errors, "not permitted") {
		t.Skip(errors)
	}
	if code != 0 || !strings.Contains(out, "window 0 (0: the system's)") || !strings.Contains(out, "net ") {
		t.Errorf("exit code %d, %s%s", code, out, errors)
	}
}

// Over a network that loses packets every echo comes back as it was sent, and not before the network allows.
func TestFarChannels(t *testing.T) {
	farNeeds(t)
	out, errors, code := said(t, "far", "-d", "300ms", "-delay", "5ms", "-loss", "0.02", "-peers", "tcpmux,raw", "-task", "echo", "-size", "100",
		"-channels", "8")
	if code != 0 && strings.Contains(errors, "not permitted") {
		t.Skip(errors)
	}
	if code != 0 || !strings.Contains(out, "loss 2 %") {
		t.Fatalf("exit code %d, %s%s", code, out, errors)
	}
	for _, line := range strings.Split(strings.TrimSpace(out), "\n") {
		_, p50, found := strings.Cut(line, "p50 ")
		p50, _, _ = strings.Cut(p50, " ms")
		if ms, err := strconv.ParseFloat(p50, 64); !found || err != nil || ms < 10 {
			t.Errorf("%q: half of the echoes took less than the 10 ms there and back", line)
		}
	}
}
