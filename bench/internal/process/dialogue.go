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

// Dialogue is a process that is spoken to in lines. Its methods are for one goroutine at a time.
type Dialogue struct {
	cmd  *exec.Cmd
	in   io.Writer
	pipe *os.File
	out  *bufio.Reader // of pipe
	said bytes.Buffer  // on its standard error
}

// Talk starts a process that has been prepared. The caller stops it, also after an error.
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

// Say sends a line.
func (d *Dialogue) Say(line string) error {
	_, err := io.WriteString(d.in, line+"\n")
	return err
}

// Hear waits for the next line, for so long at most.
func (d *Dialogue) Hear(patience time.Duration) (line string, err error) {
	d.pipe.SetReadDeadline(time.Now().Add(patience))
	line, err = d.out.ReadString('\n')
	return strings.TrimSpace(line), err
}

// Stop ends the process and returns when it is gone.
func (d *Dialogue) Stop() {
	if d.cmd.Process != nil {
		d.cmd.Process.Kill()
		d.cmd.Wait()
	}
}

// Said returns what the process, which is gone, has said on its standard error.
func (d *Dialogue) Said() string { return strings.TrimSpace(d.said.String()) }

// Sleep waits for d, or returns ctx's error when that ends first.
func Sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
