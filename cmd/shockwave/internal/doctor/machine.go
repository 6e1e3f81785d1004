package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
)

// machine is what doctor examines.
type machine struct {
	files fs.FS // the machine's files, from /
	calls processCalls
	conns uint64 // connections that are wanted
}

// processCalls are the functions that tell about the process and the kernel what no file tells.
type processCalls struct {
	descriptors func() (soft, hard uint64, err error)
	offload     func(receive bool) error // nil: works; errors.ErrUnsupported: the kernel does not have it
	procs, cpus func() int
	memoryLimit func() int64 // math.MaxInt64: none
	getenv      func(string) string
}

// thisProcess asks the process that doctor runs in.
var thisProcess = processCalls{
	descriptors: descriptorLimit,
	offload:     tryOffload,
	procs:       func() int { return runtime.GOMAXPROCS(0) },
	cpus:        runtime.NumCPU,
	memoryLimit: func() int64 { return debug.SetMemoryLimit(-1) }, // a negative limit only asks
	getenv:      os.Getenv,
}

// text returns a file of one line without its newline.
func (m *machine) text(path string) (string, error) {
	content, err := m.content(path)
	if err != nil {
		return "", err
	}
	line := strings.TrimSuffix(content, "\n")
	if line == "" || strings.ContainsFunc(line, func(r rune) bool { return r < ' ' && r != '\t' || r >= 0x7f }) {
		return "", fmt.Errorf("/%s has %.40q, want one line of ASCII", path, content)
	}
	return line, nil
}

// content returns a whole file.
func (m *machine) content(path string) (string, error) {
	content, err := fs.ReadFile(m.files, path)
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		err = fmt.Errorf("/%s: %w", path, failed.Err) // without "open", and with the path as users write it
	}
	return string(content), err
}

// number returns a file that is one unsigned decimal number.
func (m *machine) number(path string) (uint64, error) {
	line, err := m.text(path)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseUint(line, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("/%s has %.40q, want a number", path, line)
	}
	return n, nil
}

// kernelName matches how the kernel names clock sources and algorithms.
var kernelName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,31}$`)

// word returns a file that is one name.
func (m *machine) word(path string) (string, error) {
	line, err := m.text(path)
	if err == nil && !kernelName.MatchString(line) {
		return "", fmt.Errorf("/%s has %.40q, want a name", path, line)
	}
	return line, err
}
