package grpc

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/interop/grpc_testing"

	"github.com/shockwave-go/shockwave/compat/internal/both"
	"github.com/shockwave-go/shockwave/compat/internal/program"
)

// Python's grpcio, which is grpc's core in C, can call the service.
func TestPython(t *testing.T) {
	t.Parallel()
	python := program.Find(t, "python3")
	if exec.Command(python, "-c", "import grpc").Run() != nil {
		t.Skip("no Python package grpcio: scripts/peers installs it")
	}
	own := newService()
	s := grpc.NewServer()
	grpc_testing.RegisterTestServiceServer(s, own)
	both.Run(t, s, func(t *testing.T, site *both.Site) {
		p := program.Start(t, python, filepath.Join("testdata", "client.py"), site.Addr)
		if err := p.Wait(time.Minute); err != nil || !strings.Contains(p.Said(), "all is well") {
			t.Errorf(`%v: got %q, want "all is well" in it`, err, p.Said())
		}
		both.Receive(t, own.gone, "the end of the call that was given up")
	}, both.HTTP2)
}
