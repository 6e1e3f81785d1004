package grpc

import (
	"fmt"
	"io"
	"testing"

	"google.golang.org/grpc/grpclog"

	"github.com/shockwave-go/shockwave/compat/internal/both"
)

// TestMain makes a fatal error of grpc-go end its case, not the program.
func TestMain(m *testing.M) {
	grpclog.SetLoggerV2(logger{grpclog.NewLoggerV2(io.Discard, io.Discard, io.Discard)})
	both.Main(m)
}

// logger panics where grpc-go's would exit.
type logger struct{ grpclog.LoggerV2 }

func (logger) Fatal(args ...any)                 { panic(fatal(fmt.Sprint(args...))) }
func (logger) Fatalln(args ...any)               { panic(fatal(fmt.Sprintln(args...))) }
func (logger) Fatalf(format string, args ...any) { panic(fatal(fmt.Sprintf(format, args...))) }

type fatal string

// catch fails the test for what was called fatal in f.
func catch(t *testing.T, f func()) {
	t.Helper()
	if said := fatalIn(f); said != "" {
		t.Errorf(`got %q, want ""`, said)
	}
}

// fatalIn calls f and returns what was called fatal in it.
func fatalIn(f func()) (said fatal) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case fatal:
			said = v
		default:
			panic(v)
		}
	}()
	f()
	return ""
}
