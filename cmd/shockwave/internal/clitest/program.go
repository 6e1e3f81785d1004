package clitest

import (
	"bytes"
	"flag"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
)

// ClosedWriter is standard output that nobody reads.
type ClosedWriter struct{}

// Write implements io.Writer.
func (ClosedWriter) Write([]byte) (int, error) { return 0, http.ErrHandlerTimeout }

// asProgram is set in the environment of a test binary that is to be the program.
const asProgram = "SHOCKWAVE_TEST_AS_PROGRAM"

// Main runs the tests of a package, more at once than there are processors: they wait for peers more than they compute.
// Where a test has started the test binary as the program, Main is the program: so that is built once, as the tests are.
func Main(m *testing.M, program Program) {
	BeProgram(program)
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given {
		flag.Set("test.parallel", "16")
	}
	os.Exit(m.Run())
}

// BeProgram does not return where a test has started the test binary as the program.
func BeProgram(program Program) {
	if os.Getenv(asProgram) != "" {
		os.Unsetenv(asProgram)
		os.Exit(program(os.Args[1:], cli.Standard))
	}
}

// Program carries out a command line, and returns the exit code.
type Program func(args []string, con cli.Console) int

// Only is a program with one command.
func Only(name string, run func(args []string, con cli.Console) error) Program {
	return func(args []string, con cli.Console) int {
		if len(args) == 0 || args[0] != name {
			panic("the test's program has the command " + name + " alone")
		}
		return cli.ExitCode(run(args[1:], con), con)
	}
}

// ProgramCommand is the program with these arguments.
func ProgramCommand(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	return cmd
}

// Line is a command line and what it must do.
type Line = struct {
	Args     string
	Code     int
	Out, Err string // what each side must contain; "" is nothing at all
}

// TestLines runs command lines that do not begin to serve or to send.
func TestLines(t *testing.T, program Program, cases []Line) {
	for _, tc := range cases {
		t.Run(tc.Args, func(t *testing.T) {
			var out, err bytes.Buffer
			if code := program(strings.Fields(tc.Args), cli.Console{Out: &out, Err: &err}); code != tc.Code {
				t.Errorf("exit code %d, want %d", code, tc.Code)
			}
			WantText(t, "standard output", out.String(), tc.Out)
			WantText(t, "standard error", err.String(), tc.Err)
		})
	}
}

// WantText wants a text that contains want, or no text for "".
func WantText(t *testing.T, where, got, want string) {
	t.Helper()
	if want == "" && got != "" || !strings.Contains(got, want) {
		t.Errorf("%s:\n%s\nwant %q", where, got, want)
	}
}
