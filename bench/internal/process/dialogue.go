package process

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Dialogue is a process that reads and writes lines. Its methods are for one goroutine at a time.
type Dialogue struct {
	cmd  *exec.Cmd
	in   io.Writer
	pipe *os.File
	out  *bufio.Reader // reads pipe
	said bytes.Buffer  // its standard error
}

// Talk starts the process cmd. The caller must stop it, even after an error.
func Talk(cmd *exec.Cmd) (d *Dialogue, err error) {
	d = &Dialogue{cmd: cmd}
	cmd.Stderr = &d.said
	if d.in, err = cmd.StdinPipe(); err != nil {
		return d, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return d, err
	}
	pipe, ok := out.(*os.File)
	if !ok {
		return d, errors.New("no deadlines on pipes")
	}
	d.pipe, d.out = pipe, bufio.NewReader(pipe)
	return d, cmd.Start()
}

// Say writes a line to the process's standard input.
func (d *Dialogue) Say(line string) error {
	_, err := io.WriteString(d.in, line+"\n")
	return err
}

// Hear returns the next line of the process's standard output. It waits for at most timeout.
func (d *Dialogue) Hear(timeout time.Duration) (line string, err error) {
	d.pipe.SetReadDeadline(time.Now().Add(timeout))
	line, err = d.out.ReadString('\n')
	return strings.TrimSpace(line), err
}

// Stop kills the process and waits until it has ended.
func (d *Dialogue) Stop() {
	if d.cmd.Process != nil {
		d.cmd.Process.Kill()
		d.cmd.Wait()
	}
}

// Said returns what the process has written to its standard error. The process must have ended.
func (d *Dialogue) Said() string { return strings.TrimSpace(d.said.String()) }

// Sleep waits for d. It returns ctx's error if ctx is done first.
func Sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
