package main

import (
	"flag"
	"os"
	"os/exec"
	"testing"
)

// asProgram is set in the environment of a test binary that is to be the program.
const asProgram = "SHOCKWAVE_TEST_AS_PROGRAM"

// TestMain is the program where a test has started it as that: so the program under test is built once, as the tests are.
// It runs more tests at once than there are processors: they wait for peers more than they compute.
func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Unsetenv(asProgram)
		main()
		return
	}
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given {
		flag.Set("test.parallel", "16")
	}
	os.Exit(m.Run())
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
