package result

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// Machine describes a machine.
type Machine struct {
	CPU    string `json:"cpu"`
	Cores  int    `json:"cores"`
	Memory string `json:"memory"`
	System string `json:"system"`
}

// ThisMachine describes the machine that the program runs on. A property that cannot be read is "unknown".
func ThisMachine() Machine {
	m := Machine{CPU: "unknown", Cores: runtime.NumCPU(), Memory: "unknown", System: runtime.GOOS + "/" + runtime.GOARCH}
	if v := field("/proc/cpuinfo", "model name"); v != "" {
		m.CPU = v
	}
	var kib int64
	if _, err := fmt.Sscanf(field("/proc/meminfo", "MemTotal"), "%d kB", &kib); err == nil {
		m.Memory = fmt.Sprintf("%.0f GiB", float64(kib)/(1<<20))
	}
	if kernel, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		m.System = "Linux " + strings.TrimSpace(string(kernel)) + ", " + runtime.GOARCH
	}
	return m
}

// String returns the description as part of a sentence.
func (m Machine) String() string {
	return fmt.Sprintf("%s, %d cores, %s of memory, %s", m.CPU, m.Cores, m.Memory, m.System)
}

// field returns the value of the first line "name : value" of a file.
func field(file, name string) string {
	text, _ := os.ReadFile(file)
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
