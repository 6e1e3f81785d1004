package grpc

import (
	"bytes"
	"context"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/interop"
	"google.golang.org/grpc/interop/grpc_testing"

	"github.com/shockwave-go/shockwave/compat/internal/both"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest/breaks"
	"github.com/shockwave-go/shockwave/tcpmux"
)

// counted counts the connections that are accepted.
type counted struct {
	net.Listener
	n atomic.Int32
}

func (l *counted) Accept() (net.Conn, error) {
	nc, err := l.Listener.Accept()
	if err == nil {
		l.n.Add(1)
	}
	return nc, err
}

// overSession returns a client and a server of grpc-go with a session between them, whose connections are reset when they have
// carried so many bytes.
func overSession(t *testing.T, cut int64) (tc grpc_testing.TestServiceClient, a *tcpmux.Session, accepted *counted) {
	t.Helper()
	l, err := tcpmux.Listen("tcp://127.0.0.1:0", tcpmux.Config{})
	if err != nil {
		t.Fatal(err)
	}
	proxy := breaks.New(t, l.Addr().String())
	proxy.CutAfter(cut)
	a, err = tcpmux.Dial(t.Context(), "tcp://"+proxy.Addr(), tcpmux.Config{RedialFirst: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	b, err := l.Accept(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	grpc_testing.RegisterTestServiceServer(server, interop.NewTestServer())
	accepted = &counted{Listener: b.Listener()}
	served := make(chan error, 1)
	go func() { served <- server.Serve(accepted) }()
	cc, err := grpc.NewClient("passthrough:///session", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, addr string) (net.Conn, error) { return a.DialContext(ctx, "tcp", addr) }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cc.Close()
		server.Stop()
		both.Receive(t, served, "the server's end")
		_ = a.Close()
		gone, cancel := context.WithCancel(context.Background())
		cancel()
		_ = l.Shutdown(gone)
	})
	return grpc_testing.NewTestServiceClient(cc), a, accepted
}

// Users of gRPC over channels of a session see no error although its connection is reset after every 50 kB.
func TestSessionThatIsCut(t *testing.T) {
	t.Parallel()
	tc, a, accepted := overSession(t, 50_000)
	ctx, cancel := context.WithTimeout(t.Context(), 2*both.Patience)
	defer cancel()
	for _, one := range cases {
		t.Run(one.name, func(t *testing.T) { catch(t, func() { one.play(ctx, tc) }) })
	}
	t.Run("many at once", func(t *testing.T) {
		var all sync.WaitGroup
		for i := range 30 {
			all.Go(func() {
				body := bytes.Repeat([]byte{byte(i)}, 10_000)
				for range 5 {
					want := grpc_testing.SimpleRequest{ResponseSize: int32(len(body)), Payload: &grpc_testing.Payload{Body: body}}
					out, err := tc.UnaryCall(ctx, &want)
					if err != nil || len(out.Payload.GetBody()) != len(body) {
						t.Errorf("call %d: %v", i, err)
						return
					}
				}
			})
		}
		all.Wait()
	})
	if n := a.Stats().Resumed; n < 20 {
		t.Errorf("the connection was cut %d times", n)
	}
	if n := accepted.n.Load(); n != 1 {
		t.Errorf("grpc-go has connected %d times", n)
	}
	t.Logf("resumed %d times", a.Stats().Resumed)
}
