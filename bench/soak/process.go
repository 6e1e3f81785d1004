package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
)

// process is the server process, as the clients' process sees it. Its methods are safe for concurrent use.
type process struct {
	cmd *exec.Cmd
	mu  sync.Mutex
	in  io.WriteCloser
	out *json.Decoder
}

// startProcess starts this program again as the server process, with the serve loop of that name.
func startProcess(loop string) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &process{cmd: exec.Command(self)}
	p.cmd.Env = append(os.Environ(), servingVariable+"=1", "SHOCKWAVE_LOOP="+loop)
	p.cmd.Stderr = os.Stderr
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = json.NewDecoder(bufio.NewReader(out))
	return p, p.cmd.Start()
}

// stop ends the process. It returns an error if the process failed, because of a data race for example.
func (p *process) stop() error {
	p.in.Close()
	return p.cmd.Wait()
}

// tell sends a command to the process and returns its response.
func (p *process) tell(word string) (r reply, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, err := fmt.Fprintln(p.in, word); err != nil {
		return r, err
	}
	if err := p.out.Decode(&r); err != nil {
		return r, fmt.Errorf("the server is gone: %w", err)
	}
	if r.Error != "" {
		err = errors.New(r.Error)
	}
	return r, err
}
