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

// Cores says where a process runs.
type Cores int

// One core for the server and the other for the load, so that neither takes the other's time; or both for both.
const (
	First Cores = iota
	Second
	Both
)

// CanPin says why processes cannot be kept on a core each, or nil.
func CanPin() error {
	if _, err := exec.LookPath("taskset"); err != nil {
		return errors.New("taskset is not installed (Debian: util-linux)")
	}
	if runtime.NumCPU() < 2 {
		return errors.New("this takes two cores: one for the server, one for the load")
	}
	return nil
}

// Command prepares a program that runs on these cores. It is killed when ctx ends, and when this program does.
func Command(ctx context.Context, cores Cores, name string, args ...string) *exec.Cmd {
	procs := 2
	if cores != Both {
		args = append([]string{"-c", strconv.Itoa(int(cores)), name}, args...)
		name, procs = "taskset", 1 // which becomes the program: its process is the one to look at
	}
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", procs))
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd
}
