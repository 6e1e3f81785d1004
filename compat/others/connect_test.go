package others

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/shockwave-go/shockwave/compat/internal/both"
)

type (
	text  = wrapperspb.StringValue
	count = wrapperspb.Int64Value
)

// procedures are one of each kind that HTTP/1.1 can carry.
func procedures() *http.ServeMux {
	mux := http.NewServeMux()
	mux.Handle("/test/Upper", connect.NewUnaryHandlerSimple("/test/Upper",
		func(ctx context.Context, in *text) (*text, error) {
			if in.Value == "" {
				return nil, connect.NewError(connect.CodeInvalidArgument, errors.New("nothing to do"))
			}
			return &text{Value: strings.ToUpper(in.Value)}, nil
		}))
	mux.Handle("/test/Count", connect.NewServerStreamHandler("/test/Count",
		func(ctx context.Context, in *connect.Request[count], out *connect.ServerStream[count]) error {
			out.ResponseTrailer().Set("X-Sum", fmt.Sprint(in.Msg.Value*(in.Msg.Value-1)/2))
			for i := range in.Msg.Value {
				if err := out.Send(&count{Value: i}); err != nil {
					return err
				}
			}
			return nil
		}))
	mux.Handle("/test/Join", connect.NewClientStreamHandlerSimple("/test/Join",
		func(ctx context.Context, in *connect.ClientStream[text]) (*text, error) {
			var words []string
			for in.Receive() {
				words = append(words, in.Msg().Value)
			}
			return &text{Value: strings.Join(words, " ")}, in.Err()
		}))
	return mux
}

// Unary calls of connect-go behave the same on both servers.
func TestConnectUnary(t *testing.T) {
	t.Parallel()
	both.Compare(t, both.With(procedures()), func(t *testing.T, s *both.Site) (seen []string) {
		for _, options := range [][]connect.ClientOption{nil, {connect.WithProtoJSON()}, {connect.WithSendGzip()}, {connect.WithGRPCWeb()}} {
			upper := connect.NewClient[text, text](s.Client, s.URL+"/test/Upper", options...)
			out, err := upper.CallUnary(t.Context(), connect.NewRequest(&text{Value: strings.Repeat("word ", 1000)}))
			if err != nil || !strings.HasPrefix(out.Msg.Value, "WORD WORD") {
				t.Fatalf("%s: %v", s.Name, err)
			}
			_, err = upper.CallUnary(t.Context(), connect.NewRequest(&text{}))
			if connect.CodeOf(err) != connect.CodeInvalidArgument {
				t.Errorf("%s: %v", s.Name, err)
			}
			seen = append(seen, out.Header().Get("Content-Type"), fmt.Sprint(len(out.Msg.Value), out.Trailer()))
		}
		return seen
	})
}

// Streams of connect-go behave the same on both servers.
func TestConnectStreams(t *testing.T) {
	t.Parallel()
	both.Compare(t, both.With(procedures()), func(t *testing.T, s *both.Site) (seen []string) {
		counting := connect.NewClient[count, count](s.Client, s.URL+"/test/Count")
		in, err := counting.CallServerStream(t.Context(), connect.NewRequest(&count{Value: 100}))
		if err != nil {
			t.Fatal(err)
		}
		var last int64
		for n := int64(0); in.Receive(); n++ {
			if last = in.Msg().Value; last != n {
				t.Fatalf("%s: message %d is %d", s.Name, n, last)
			}
		}
		seen = append(seen, fmt.Sprint(last, in.Err(), in.ResponseTrailer(), in.Close()))

		join := connect.NewClient[text, text](s.Client, s.URL+"/test/Join").CallClientStreamSimple
		out, err := join(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{"word", "by", "word"} {
			if err := out.Send(&text{Value: word}); err != nil {
				t.Fatal(err)
			}
		}
		joined, err := out.CloseAndReceive()
		if err != nil || joined.Value != "word by word" {
			t.Errorf("%s: got %v, %v", s.Name, joined, err)
		}
		return seen
	})
}

// A stream of connect-go in both directions works over HTTP/2, and is refused over HTTP/1.1.
func TestConnectBidi(t *testing.T) {
	t.Parallel()
	both.NeedsHTTP1(t, "there both directions at once are refused")
	h := connect.NewBidiStreamHandler("/test/Both",
		func(ctx context.Context, both *connect.BidiStream[text, text]) error { return nil })
	both.Same(t, h, []both.Request{both.Post(505, "/test/Both", "", "Content-Type", "application/connect+proto")})
}
