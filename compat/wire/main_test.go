package wire

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// patience is how long a test waits for what must come. No test depends on how fast it comes.
const patience = time.Minute

// seed is what all dice are thrown with.
var seed = func() uint64 {
	n, err := strconv.ParseUint(os.Getenv("SHOCKWAVE_WIRE_SEED"), 10, 64)
	if err != nil {
		return 1
	}
	return n
}()

// TestMain fails if the tests have left a goroutine or a descriptor behind.
func TestMain(m *testing.M) {
	if l, err := net.Listen("tcp", "127.0.0.1:0"); err == nil {
		l.Close() // now the runtime has its own descriptors
	}
	noNamespaces()
	before := descriptors()
	code := m.Run()
	if code == 0 {
		code = leftBehind(before)
	}
	if why := noNamespaces(); why != nil {
		fmt.Println("what needs network namespaces was skipped:", why)
	}
	fmt.Println("seed", seed)
	os.Exit(code)
}

func leftBehind(before int) int {
	if err := goleak.Find(goleak.IgnoreAnyFunction("net/http.(*conn).closeWriteAndWait")); err != nil {
		fmt.Println(err)
		return 1
	}
	// What has been closed is gone a moment after its last user has let go of it.
	if !within(func() bool { return descriptors() <= before }) {
		fmt.Printf("%d descriptors were open before the tests, and %d are afterwards\n", before, descriptors())
		return 1
	}
	return 0
}

// descriptors counts what this process has open, 0 where that cannot be seen.
func descriptors() int {
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(names)
}
