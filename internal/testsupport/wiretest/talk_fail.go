package wiretest

import "strconv"

// quoted is how many bytes of each side a failure message shows.
const quoted = 600

// fail ends the test, with the step of the conversation at which it failed.
func (k *Talk) fail(format string, args ...any) {
	k.t.Helper()
	if len(k.said) > 0 {
		format += "\n after sending %s"
		args = append(args, quote(k.said))
	}
	k.t.Fatalf("step %d: "+format, append([]any{k.step}, args...)...)
}

// quote shows b on one line, shortened in the middle.
func quote(b []byte) string {
	if len(b) <= quoted {
		return strconv.Quote(string(b))
	}
	return strconv.Quote(string(b[:quoted/2])) + " … " + strconv.Itoa(len(b)-quoted) + " bytes … " +
		strconv.Quote(string(b[len(b)-quoted/2:]))
}
