package sockpeer

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"syscall"
	"time"
)

// The orders.
const (
	OrderSink = "sink"
	OrderEcho = "echo"
	OrderRoom = "room"
)

// period is the number of bytes after which the content of a message repeats.
const period = 4096

// pattern is the content of a message, except for its first 8 bytes, which are its number.
var pattern = func() (p [period]byte) {
	for i := range p {
		p[i] = byte(i*7 + i/256)
	}
	return p
}()

// Fill makes p, which must have at least 8 bytes, a message: its number followed by the pattern.
func Fill(p []byte, number uint64) {
	for n := 0; n < len(p); n += period {
		copy(p[n:], pattern[:])
	}
	stamp(p, number)
}

// stamp changes the number of a message.
func stamp(p []byte, number uint64) { binary.LittleEndian.PutUint64(p, number) }

// same reports whether p is the message with this number, byte by byte.
func same(p []byte, number uint64) bool {
	if len(p) < 8 || binary.LittleEndian.Uint64(p) != number {
		return false
	}
	for i := 8; i < len(p); {
		n := min(period-i%period, len(p)-i)
		if !bytes.Equal(p[i:i+n], pattern[i%period:i%period+n]) {
			return false
		}
		i += n
	}
	return true
}

// account counts the messages that a server has received.
type account struct {
	count, wrong uint64 // number of messages; the first wrong one, counted from 1, or 0
	began        time.Time
	cpu          float64 // CPU time at the beginning, in seconds
}

func begin() account { return account{began: time.Now(), cpu: cpu()} }

func (a *account) check(p []byte) {
	ok := same(p, a.count)
	if a.count++; !ok && a.wrong == 0 {
		a.wrong = a.count
	}
}

// append appends the server's report: number of messages, the first wrong one, seconds, seconds of CPU time.
func (a *account) append(dst []byte) []byte {
	return fmt.Appendf(dst, "%d %d %.9f %.6f", a.count, a.wrong, time.Since(a.began).Seconds(), cpu()-a.cpu)
}

// Report is a server's final report.
type Report struct {
	Count, Wrong uint64
	Seconds, CPU float64
}

// ReadReport parses a server's report on n messages. It returns an error if a message was lost or changed.
func ReadReport(p []byte, n uint64) (r Report, err error) {
	if _, err = fmt.Sscanf(string(p), "%d %d %g %g", &r.Count, &r.Wrong, &r.Seconds, &r.CPU); err != nil {
		return r, fmt.Errorf("a report that is none: %.40q", p)
	}
	if r.Count != n || r.Wrong != 0 {
		return r, fmt.Errorf("of %d messages %d arrived, and the first wrong one was number %d", n, r.Count, r.Wrong)
	}
	return r, nil
}

// cpu returns the CPU time that this process has used, in seconds.
func cpu() float64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // never fails for the process itself
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}
