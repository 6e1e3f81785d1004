package grpc_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	googlegrpc "google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding/gzip"
	testpb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"

	"github.com/shockwave-go/shockwave/grpc"
	"github.com/shockwave-go/shockwave/grpc/internal/testservice"
)

// service is a service whose unary and bidirectional methods are functions of the test.
type service struct {
	testservice.Service
	unary func(context.Context, *testpb.SimpleRequest) (*testpb.SimpleResponse, error)
	both  func(testpb.TestService_FullDuplexCallServer) error
}

func (s service) UnaryCall(ctx context.Context, req *testpb.SimpleRequest) (*testpb.SimpleResponse, error) {
	return s.unary(ctx, req)
}

func (s service) FullDuplexCall(stream testpb.TestService_FullDuplexCallServer) error {
	return s.both(stream)
}

// bounded returns a context that no test outlasts.
func bounded(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// quiet logs nothing.
var quiet = grpc.Logger(slog.New(slog.DiscardHandler))

// Metadata goes both ways, binary too, and a handler's header, trailer and peer are what it says.
func TestMetadata(t *testing.T) {
	c := serveService(t, grpc.NewServer(), service{unary: func(ctx context.Context, _ *testpb.SimpleRequest) (*testpb.SimpleResponse, error) {
		md, _ := metadata.FromIncomingContext(ctx)
		if got := md.Get("x-bin"); len(got) != 1 || got[0] != "\x00\xff" {
			t.Errorf("x-bin: got %q", got)
		}
		if got := md.Get("y"); len(got) != 2 || got[0] != "1" || got[1] != "2" {
			t.Errorf("y: got %q", got)
		}
		if len(md.Get(":authority")) != 1 || len(md.Get("user-agent")) != 1 || len(md.Get("te")) != 0 {
			t.Errorf("got %v", md)
		}
		if p, ok := peer.FromContext(ctx); !ok || !strings.HasPrefix(p.Addr.String(), "127.0.0.1:") || p.LocalAddr == nil {
			t.Errorf("the peer: got %v", p)
		}
		if m, _ := googlegrpc.Method(ctx); m != "/grpc.testing.TestService/UnaryCall" {
			t.Errorf("the method: got %q", m)
		}
		if err := googlegrpc.SetHeader(ctx, metadata.Pairs("H", "1", "h-bin", "\x01")); err != nil {
			t.Error(err)
		}
		if err := googlegrpc.SetTrailer(ctx, metadata.Pairs("t", "2")); err != nil {
			t.Error(err)
		}
		if err := googlegrpc.SetHeader(ctx, metadata.Pairs("bad", "\n")); status.Code(err) != codes.Internal {
			t.Errorf("a header that HTTP cannot carry: got %v", err)
		}
		if err := googlegrpc.SendHeader(ctx, metadata.Pairs("h", "3")); err != nil {
			t.Error(err)
		}
		if err := googlegrpc.SetHeader(ctx, metadata.Pairs("late", "1")); status.Code(err) != codes.Internal {
			t.Errorf("a header after the header: got %v", err)
		}
		return new(testpb.SimpleResponse), nil
	}})
	ctx := metadata.AppendToOutgoingContext(bounded(t), "x-bin", "\x00\xff", "y", "1", "y", "2")
	var header, trailer metadata.MD
	if _, err := c.UnaryCall(ctx, new(testpb.SimpleRequest), googlegrpc.Header(&header), googlegrpc.Trailer(&trailer)); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(header["h"], " "); got != "1 3" || strings.Join(header["h-bin"], "") != "\x01" || strings.Join(trailer["t"], "") != "2" {
		t.Errorf("got header %v, trailer %v", header, trailer)
	}
}

// The status of a call is what the handler's error says; a panic is Internal, and the connection goes on.
func TestStatuses(t *testing.T) {
	var result func() error
	c := serveService(t, grpc.NewServer(quiet), service{unary: func(context.Context, *testpb.SimpleRequest) (*testpb.SimpleResponse, error) {
		return new(testpb.SimpleResponse), result()
	}})
	detailed, _ := status.New(codes.NotFound, "nö").WithDetails(&testpb.Empty{})
	for name, one := range map[string]struct {
		result func() error
		want   *status.Status
	}{
		"ok":       {func() error { return nil }, nil},
		"status":   {func() error { return detailed.Err() }, detailed},
		"plain":    {func() error { return errors.New("x%") }, status.New(codes.Unknown, "x%")},
		"deadline": {func() error { return context.DeadlineExceeded }, status.New(codes.DeadlineExceeded, context.DeadlineExceeded.Error())},
		"panic":    {func() error { panic("x") }, status.New(codes.Internal, "grpc: the handler panicked")},
	} {
		result = one.result
		_, err := c.UnaryCall(bounded(t), new(testpb.SimpleRequest))
		got := status.Convert(err)
		if got.Code() != one.want.Code() || got.Message() != one.want.Message() || len(got.Details()) != len(one.want.Details()) {
			t.Errorf("%s: got %v, want %v", name, got, one.want)
		}
	}
}

// A handler's context ends by the client's deadline and by its cancellation, whether it is waited for or asked.
func TestContextEnds(t *testing.T) {
	ended := make(chan error, 1)
	began := make(chan struct{}, 1)
	c := serveService(t, grpc.NewServer(), service{unary: func(ctx context.Context, req *testpb.SimpleRequest) (*testpb.SimpleResponse, error) {
		began <- struct{}{}
		if req.ResponseSize == 0 {
			<-ctx.Done()
		} else {
			child, cancel := context.WithCancel(ctx)
			defer cancel()
			<-child.Done()
		}
		ended <- ctx.Err()
		return nil, ctx.Err()
	}})
	for size := range int32(2) {
		ctx, cancel := context.WithTimeout(bounded(t), 50*time.Millisecond)
		if _, err := c.UnaryCall(ctx, &testpb.SimpleRequest{ResponseSize: size}); status.Code(err) != codes.DeadlineExceeded {
			t.Errorf("got %v, want DeadlineExceeded", err)
		}
		cancel()
		<-began
		if err := <-ended; err == nil {
			t.Error("the context has no error")
		}
		ctx, cancel = context.WithCancel(bounded(t))
		go func() { <-began; cancel() }()
		if _, err := c.UnaryCall(ctx, &testpb.SimpleRequest{ResponseSize: size}); status.Code(err) != codes.Canceled {
			t.Errorf("got %v, want Canceled", err)
		}
		if err := <-ended; err != context.Canceled {
			t.Errorf("the context: got %v, want context.Canceled", err)
		}
	}
}

// A goroutine of a handler that receives when the handler returns is told, and leaves the stream alone after it.
func TestReceiveOutlivesTheHandler(t *testing.T) {
	got := make(chan error, 2)
	c := serveService(t, grpc.NewServer(), service{both: func(s testpb.TestService_FullDuplexCallServer) error {
		if _, err := s.Recv(); err != nil {
			return err
		}
		go func() {
			_, err := s.Recv()
			got <- err
			<-s.Context().Done()
			got <- s.Send(new(testpb.StreamingOutputCallResponse))
		}()
		time.Sleep(10 * time.Millisecond) // the goroutine waits by now, most times: both orders must be right
		return status.Error(codes.Aborted, "enough")
	}})
	for range 20 {
		s, err := c.FullDuplexCall(bounded(t))
		if err != nil {
			t.Fatal(err)
		}
		s.Send(new(testpb.StreamingOutputCallRequest))
		if _, err := s.Recv(); status.Code(err) != codes.Aborted {
			t.Fatalf("the client: got %v, want Aborted", err)
		}
		for range 2 {
			if err := <-got; err == nil {
				t.Fatal("the call goes on after its handler")
			}
		}
	}
}

// Interceptors run in the order of the options, and may refuse a call.
func TestInterceptors(t *testing.T) {
	var order []string
	note := func(name string) googlegrpc.UnaryServerInterceptor {
		return func(ctx context.Context, req any, info *googlegrpc.UnaryServerInfo, h googlegrpc.UnaryHandler) (any, error) {
			order = append(order, name+info.FullMethod[strings.LastIndexByte(info.FullMethod, '/'):])
			return h(ctx, req)
		}
	}
	refuse := func(any, googlegrpc.ServerStream, *googlegrpc.StreamServerInfo, googlegrpc.StreamHandler) error {
		return status.Error(codes.PermissionDenied, "no")
	}
	c := serve(t, grpc.NewServer(grpc.ChainUnaryInterceptor(note("b"), note("c")), grpc.UnaryInterceptor(note("a")), grpc.StreamInterceptor(refuse)))
	if _, err := c.EmptyCall(bounded(t), new(testpb.Empty)); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(order, " "); got != "a/EmptyCall b/EmptyCall c/EmptyCall" {
		t.Errorf("got %s", got)
	}
	s, err := c.FullDuplexCall(bounded(t))
	if err == nil {
		_, err = s.Recv()
	}
	if status.Code(err) != codes.PermissionDenied {
		t.Errorf("got %v, want PermissionDenied", err)
	}
}

// Methods that are not registered are Unimplemented, or go to the handler for them.
func TestUnknownMethods(t *testing.T) {
	cc := dial(t, start(t, grpc.NewServer()))
	for path, want := range map[string]string{
		"/a.B/C": "grpc: unknown service a.B", "/grpc.testing.TestService/X": "grpc: unknown method X of service grpc.testing.TestService",
	} {
		err := cc.Invoke(bounded(t), path, new(testpb.Empty), new(testpb.Empty))
		if st := status.Convert(err); st.Code() != codes.Unimplemented || st.Message() != want {
			t.Errorf("%s: got %v", path, err)
		}
	}
	cc = dial(t, start(t, grpc.NewServer(grpc.UnknownServiceHandler(func(_ any, s googlegrpc.ServerStream) error {
		m, _ := googlegrpc.MethodFromServerStream(s)
		return status.Error(codes.DataLoss, m)
	}))))
	err := cc.Invoke(bounded(t), "/a.B/C", new(testpb.Empty), new(testpb.Empty))
	if st := status.Convert(err); st.Code() != codes.DataLoss || st.Message() != "/a.B/C" {
		t.Errorf("got %v", err)
	}
}

// Messages beyond the limits are ResourceExhausted both ways, compressed too, and those at the limit arrive.
func TestMessageLimits(t *testing.T) {
	c := serve(t, grpc.NewServer(grpc.MaxRecvMsgSize(1000), grpc.MaxSendMsgSize(2000)))
	body := func(n int) *testpb.SimpleRequest {
		return &testpb.SimpleRequest{Payload: &testpb.Payload{Body: make([]byte, n)}}
	}
	for _, opts := range [][]googlegrpc.CallOption{nil, {googlegrpc.UseCompressor(gzip.Name)}} {
		if _, err := c.UnaryCall(bounded(t), body(990), opts...); err != nil {
			t.Errorf("within the limit: %v", err)
		}
		if _, err := c.UnaryCall(bounded(t), body(1000), opts...); status.Code(err) != codes.ResourceExhausted {
			t.Errorf("beyond the limit: got %v", err)
		}
		s, err := c.StreamingOutputCall(bounded(t), &testpb.StreamingOutputCallRequest{ResponseParameters: []*testpb.ResponseParameters{{Size: 3000}}})
		if err == nil {
			_, err = s.Recv()
		}
		if status.Code(err) != codes.ResourceExhausted {
			t.Errorf("sent beyond the limit: got %v", err)
		}
	}
}

// The response is compressed as the request is, or as the handler says.
func TestSendCompressor(t *testing.T) {
	name := ""
	c := serveService(t, grpc.NewServer(), service{unary: func(ctx context.Context, req *testpb.SimpleRequest) (*testpb.SimpleResponse, error) {
		if names, err := grpc.ClientSupportedCompressors(ctx); err != nil || strings.Join(names, ",") != "gzip" {
			t.Errorf("got %q, %v", names, err)
		}
		if name != "" {
			if err := grpc.SetSendCompressor(ctx, name); err != nil {
				t.Error(err)
			}
		}
		if err := grpc.SetSendCompressor(ctx, "none such"); status.Code(err) != codes.Internal {
			t.Errorf("an unknown compressor: got %v", err)
		}
		return &testpb.SimpleResponse{Payload: req.Payload}, nil
	}})
	for _, name = range []string{"", gzip.Name, "identity"} {
		for _, opts := range [][]googlegrpc.CallOption{nil, {googlegrpc.UseCompressor(gzip.Name)}} {
			res, err := c.UnaryCall(bounded(t), &testpb.SimpleRequest{Payload: &testpb.Payload{Body: make([]byte, 100)}}, opts...)
			if err != nil || len(res.Payload.Body) != 100 {
				t.Errorf("%q: got %v, %v", name, res, err)
			}
		}
	}
	if err := grpc.SetSendCompressor(t.Context(), gzip.Name); err == nil {
		t.Error("a context that is no handler's was accepted")
	}
}

// A Server is a handler of net/http's own server, and its contexts have the values of the request's.
func TestNetHTTP(t *testing.T) {
	type key struct{}
	s := grpc.NewServer()
	testpb.RegisterTestServiceServer(s, service{
		unary: func(ctx context.Context, req *testpb.SimpleRequest) (*testpb.SimpleResponse, error) {
			if ctx.Value(key{}) != "value" {
				t.Error("the request's context has no part in the handler's")
			}
			return &testpb.SimpleResponse{Payload: req.Payload}, nil
		},
		both: testservice.Service{}.FullDuplexCall,
	})
	h := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), key{}, "value")))
	}))
	h.Config.Protocols = new(http.Protocols)
	h.Config.Protocols.SetUnencryptedHTTP2(true)
	h.Start()
	defer h.Close()
	c := testpb.NewTestServiceClient(dial(t, h.Listener.Addr().String()))
	if res, err := c.UnaryCall(bounded(t), &testpb.SimpleRequest{Payload: &testpb.Payload{Body: []byte("x")}}); err != nil || string(res.Payload.Body) != "x" {
		t.Errorf("got %v, %v", res, err)
	}
	both, err := c.FullDuplexCall(bounded(t))
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		both.Send(&testpb.StreamingOutputCallRequest{ResponseParameters: []*testpb.ResponseParameters{{Size: 7}}})
		if m, err := both.Recv(); err != nil || len(m.Payload.Body) != 7 {
			t.Fatalf("got %v, %v", m, err)
		}
	}
	both.CloseSend()
	if _, err := both.Recv(); err != io.EOF {
		t.Errorf("at the end: got %v", err)
	}
}

// A request that is no call is refused in HTTP's way.
func TestNotACall(t *testing.T) {
	addr := start(t, grpc.NewServer())
	for kind, want := range map[string]int{"": 415, "text/plain": 415, "application/grpcx": 415} {
		res, err := http.Post("http://"+addr+"/grpc.testing.TestService/EmptyCall", kind, strings.NewReader("x"))
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("%q: got %d, want %d", kind, res.StatusCode, want)
		}
	}
}

// GracefulStop lets the calls in progress end, and Stop ends their contexts.
func TestStopping(t *testing.T) {
	began := make(chan struct{}, 1)
	free := make(chan struct{})
	svc := service{unary: func(ctx context.Context, _ *testpb.SimpleRequest) (*testpb.SimpleResponse, error) {
		began <- struct{}{}
		select {
		case <-free:
			return new(testpb.SimpleResponse), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}}
	for _, graceful := range []bool{true, false} {
		s := grpc.NewServer(grpc.WaitForHandlers(true))
		c := serveService(t, s, svc)
		done := make(chan error, 1)
		go func() {
			_, err := c.UnaryCall(bounded(t), new(testpb.SimpleRequest))
			done <- err
		}()
		<-began
		if graceful {
			stopped := make(chan error, 1)
			go func() { stopped <- s.GracefulStop(bounded(t)) }()
			free <- struct{}{}
			if err := <-done; err != nil {
				t.Errorf("GracefulStop: the call got %v", err)
			}
			if err := <-stopped; err != nil {
				t.Errorf("GracefulStop: %v", err)
			}
			continue
		}
		s.Stop()
		if err := <-done; status.Code(err) != codes.Unavailable {
			t.Errorf("Stop: the call got %v, want Unavailable", err)
		}
	}
}
