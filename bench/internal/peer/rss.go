package peer

import (
	"fmt"
	"os"
	"strings"
)

// ReadRSS returns the resident memory of a process in bytes, from /proc/PID/status.
func ReadRSS(pid int) (int64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	_, line, found := strings.Cut(string(status), "\nVmRSS:")
	if !found {
		return 0, fmt.Errorf("/proc/%d/status tells no VmRSS", pid)
	}
	var kib int64
	_, err = fmt.Sscanf(line, "%d kB", &kib)
	return kib << 10, err
}
