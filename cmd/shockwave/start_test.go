package main

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// asProgram is set in the environment of a test binary that is to be the program.
const asProgram = "SHOCKWAVE_TEST_AS_PROGRAM"

// mainFor runs the tests of a package, more at once than there are processors: they wait for peers more than they compute.
// Where a test has started the test binary as the program, mainFor is the program: so that is built once, as the tests are.
func mainFor(m *testing.M, program programFunc) {
	beProgram(program)
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given {
		flag.Set("test.parallel", "16")
	}
	os.Exit(m.Run())
}

// beProgram does not return where a test has started the test binary as the program.
func beProgram(program programFunc) {
	if os.Getenv(asProgram) != "" {
		os.Unsetenv(asProgram)
		os.Exit(program(os.Args[1:], standard))
	}
}

// programFunc carries out a command line, and returns the exit code.
type programFunc func(args []string, con console) int

// onlyCommand is a program with one command.
func onlyCommand(name string, run func(args []string, con console) error) programFunc {
	return func(args []string, con console) int {
		if len(args) == 0 || args[0] != name {
			panic("the test's program has the command " + name + " alone")
		}
		return exitCode(run(args[1:], con), con)
	}
}

// programCommand is the program with these arguments.
func programCommand(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	return cmd
}

// commandCase is a command line and what it must do.
type commandCase struct {
	args     string
	code     int
	out, err string // what each side must contain; "" is nothing at all
}

// testCommandLines runs command lines that do not begin to serve or to send.
func testCommandLines(t *testing.T, program programFunc, cases []commandCase) {
	for _, tc := range cases {
		t.Run(tc.args, func(t *testing.T) {
			var out, err bytes.Buffer
			if code := program(strings.Fields(tc.args), console{out: &out, err: &err}); code != tc.code {
				t.Errorf("exit code %d, want %d", code, tc.code)
			}
			wantText(t, "standard output", out.String(), tc.out)
			wantText(t, "standard error", err.String(), tc.err)
		})
	}
}

// wantText wants a text that contains want, or no text for "".
func wantText(t *testing.T, where, got, want string) {
	t.Helper()
	if want == "" && got != "" || !strings.Contains(got, want) {
		t.Errorf("%s:\n%s\nwant %q", where, got, want)
	}
}
