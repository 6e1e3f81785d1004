//go:build unix

package program

import (
	"os/exec"
	"syscall"
)

// group makes cmd the first of a group of processes: a browser may be started by a script that waits for it.
func group(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// kill ends all of the group.
func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
