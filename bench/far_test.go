package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Over a network the window is the system's, and more is under way than a peer of the same host would have.
func TestFarPeers(t *testing.T) {
	if _, err := exec.LookPath("ip"); err != nil || os.Geteuid() != 0 {
		t.Skip("it takes root, and the program ip")
	}
	if f, err := os.OpenFile("/dev/net/tun", os.O_RDWR, 0); err != nil {
		t.Skip(err)
	} else {
		f.Close()
	}
	out, errors, code := said(t, "far", "-d", "300ms", "-delay", "5ms")
	if code != 0 && strings.Contains(errors, "not permitted") {
		t.Skip(errors)
	}
	if code != 0 || !strings.Contains(out, "window 0 (0: the system's)") || !strings.Contains(out, "net ") {
		t.Errorf("exit code %d, %s%s", code, out, errors)
	}
}
