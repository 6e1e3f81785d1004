//go:build unix

package program

import (
	"os/exec"
	"syscall"
)

// group makes cmd the leader of a process group, because a browser may be started by a script that waits for it.
func group(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// kill kills all processes of the group.
func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
