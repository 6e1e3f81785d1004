package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
)

// Cores are the cores that a process runs on.
type Cores int

// Usually the server runs on the first core and the load on the second, so that neither takes time from the other.
const (
	First Cores = iota
	Second
	Both
)

// CanPin returns an error if processes cannot be pinned to cores on this machine.
func CanPin() error {
	if _, err := exec.LookPath("taskset"); err != nil {
		return errors.New("taskset is not installed (Debian: util-linux)")
	}
	if runtime.NumCPU() < 2 {
		return errors.New("this takes two cores: one for the server, one for the load")
	}
	return nil
}

// Command prepares a program that runs on these cores. It is killed when ctx is done and when this process ends.
func Command(ctx context.Context, cores Cores, name string, args ...string) *exec.Cmd {
	procs := 2
	if cores != Both {
		args = append([]string{"-c", strconv.Itoa(int(cores)), name}, args...)
		name, procs = "taskset", 1 // taskset execs the program, so the process id is the program's
	}
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", procs))
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd
}
