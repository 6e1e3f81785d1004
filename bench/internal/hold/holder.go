package hold

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/process"
)

// Holder is a process that holds connections. Its methods are for one goroutine at a time.
type Holder struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	pipe *os.File
	said bytes.Buffer
}

// patience is how long it may take to open or to ask all connections.
const patience = 2 * time.Minute

// Open starts a process that holds n connections to s and returns when each has been asked path once.
func Open(ctx context.Context, s *process.Server, n int, path string) (*Holder, error) {
	return begin(ctx, s, n, path, fmt.Sprintf("-tls=%t", s.TLS))
}

// OpenWebSockets starts a process that holds n WebSockets to s and returns when each has done one exchange on path.
func OpenWebSockets(ctx context.Context, s *process.Server, n int, path string) (*Holder, error) {
	return begin(ctx, s, n, path, "-websocket")
}

func begin(ctx context.Context, s *process.Server, n int, path, kind string) (*Holder, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	h := new(Holder)
	h.cmd = process.Command(ctx, process.Second, self, "hold", "-addr", s.Addr, "-conns", strconv.Itoa(n),
		"-path", path, kind)
	h.cmd.Stderr = &h.said
	if err := h.start(); err != nil {
		return nil, err
	}
	if err := h.hear(opened); err != nil {
		h.Close()
		return nil, err
	}
	return h, nil
}

func (h *Holder) start() (err error) {
	if h.in, err = h.cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := h.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	pipe, ok := out.(*os.File)
	if !ok {
		return errors.New("no deadlines on pipes")
	}
	h.out, h.pipe = bufio.NewReader(pipe), pipe
	return h.cmd.Start()
}

// Again asks every connection again.
func (h *Holder) Again() error {
	if _, err := io.WriteString(h.in, "\n"); err != nil {
		return err
	}
	return h.hear(answered)
}

// Close ends the process and with it the connections.
func (h *Holder) Close() {
	h.cmd.Process.Kill()
	h.cmd.Wait()
}

func (h *Holder) hear(word string) error {
	h.pipe.SetReadDeadline(time.Now().Add(patience))
	line, err := h.out.ReadString('\n')
	if err != nil {
		h.Close() // then all that it said is here
		return fmt.Errorf("the connections that are held: %w %s", err, strings.TrimSpace(h.said.String()))
	}
	if strings.TrimSpace(line) != word {
		return fmt.Errorf("the connections that are held: %q instead of %q", line, word)
	}
	return nil
}
