package grpc

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/shockwave-go/shockwave/compat/internal/both"
)

type text = wrapperspb.StringValue

const (
	pathUpper = "/test/Upper"
	pathBoth  = "/test/Both"
)

func procedures() http.Handler {
	mux := http.NewServeMux()
	mux.Handle(pathUpper, connect.NewUnaryHandlerSimple(pathUpper, func(ctx context.Context, in *text) (*text, error) {
		switch in.Value {
		case "":
			return nil, connect.NewError(connect.CodeInvalidArgument, errors.New("nothing to do"))
		case "wait":
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return &text{Value: strings.ToUpper(in.Value)}, nil
	}))
	mux.Handle(pathBoth, connect.NewBidiStreamHandler(pathBoth, func(ctx context.Context, s *connect.BidiStream[text, text]) error {
		for {
			in, err := s.Receive()
			if errors.Is(err, io.EOF) {
				s.ResponseTrailer().Set("X-End", "reached")
				return nil
			}
			if err != nil {
				return err
			}
			if err := s.Send(&text{Value: strings.ToUpper(in.Value)}); err != nil {
				return err
			}
		}
	}))
	return mux
}

// protocols are what clients of connect speak.
var protocols = map[string][]connect.ClientOption{
	"connect": nil, "grpc": {connect.WithGRPC()}, "grpc-web": {connect.WithGRPCWeb()}, "gzip": {connect.WithGRPC(), connect.WithSendGzip()},
}

// Calls and streams of connect-go work in each of its protocols.
func TestConnect(t *testing.T) {
	t.Parallel()
	for _, c := range carriers {
		for name, options := range protocols {
			t.Run(c.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				both.Run(t, procedures(), func(t *testing.T, s *both.Site) {
					unary(t, connect.NewClient[text, text](s.Client, s.URL+pathUpper, options...))
					bidi(t, connect.NewClient[text, text](s.Client, s.URL+pathBoth, options...))
				}, c.options...)
			})
		}
	}
}

func unary(t *testing.T, upper *connect.Client[text, text]) {
	t.Helper()
	word := strings.Repeat("word ", 100_000)
	out, err := upper.CallUnary(t.Context(), connect.NewRequest(&text{Value: word}))
	if err != nil || out.Msg.Value != strings.ToUpper(word) {
		t.Errorf("a long word: %v", err)
	}
	if _, err = upper.CallUnary(t.Context(), connect.NewRequest(&text{})); connect.CodeOf(err) != connect.CodeInvalidArgument {
		t.Errorf("no word: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err = upper.CallUnary(ctx, connect.NewRequest(&text{Value: "wait"})); connect.CodeOf(err) != connect.CodeDeadlineExceeded {
		t.Errorf("a deadline: %v", err)
	}
}

func bidi(t *testing.T, both *connect.Client[text, text]) {
	t.Helper()
	stream := both.CallBidiStream(t.Context())
	for range 50 {
		if err := stream.Send(&text{Value: "word"}); err != nil {
			t.Fatal(err)
		}
		if out, err := stream.Receive(); err != nil || out.Value != "WORD" {
			t.Fatalf(`got %v, %v; want Value "WORD"`, out, err)
		}
	}
	if err := stream.CloseRequest(); err != nil {
		t.Error(err)
	}
	if _, err := stream.Receive(); !errors.Is(err, io.EOF) {
		t.Errorf("after the end: %v", err)
	}
	if got := stream.ResponseTrailer().Get("X-End"); got != "reached" {
		t.Errorf("the trailer is %q", got)
	}
	if err := stream.CloseResponse(); err != nil {
		t.Error(err)
	}
}
