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

// period is after how many bytes what stands in a message is as before.
const period = 4096

// pattern is what stands in a message behind its number.
var pattern = func() (p [period]byte) {
	for i := range p {
		p[i] = byte(i*7 + i/256)
	}
	return p
}()

// Fill makes p, of 8 bytes or more, a message: its number, and the pattern behind that.
func Fill(p []byte, number uint64) {
	for n := 0; n < len(p); n += period {
		copy(p[n:], pattern[:])
	}
	stamp(p, number)
}

// stamp makes a message another one.
func stamp(p []byte, number uint64) { binary.LittleEndian.PutUint64(p, number) }

// same reports whether every byte of p is that of a message.
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

// account is what a server has received, and when it began.
type account struct {
	count, wrong uint64 // messages; the number of the first that was not what it should be, from 1
	began        time.Time
	cpu          float64
}

func begin() account { return account{began: time.Now(), cpu: cpu()} }

func (a *account) check(p []byte) {
	ok := same(p, a.count)
	if a.count++; !ok && a.wrong == 0 {
		a.wrong = a.count
	}
}

// append appends what is said of the account: messages, the first wrong one, seconds, seconds of processor time.
func (a *account) append(dst []byte) []byte {
	return fmt.Appendf(dst, "%d %d %.9f %.6f", a.count, a.wrong, time.Since(a.began).Seconds(), cpu()-a.cpu)
}

// Report is what a server has said in the end.
type Report struct {
	Count, Wrong uint64
	Seconds, CPU float64
}

// ReadReport reads what a server has said when n messages had been sent to it. It fails if one of them was lost or changed.
func ReadReport(p []byte, n uint64) (r Report, err error) {
	if _, err = fmt.Sscanf(string(p), "%d %d %g %g", &r.Count, &r.Wrong, &r.Seconds, &r.CPU); err != nil {
		return r, fmt.Errorf("a report that is none: %.40q", p)
	}
	if r.Count != n || r.Wrong != 0 {
		return r, fmt.Errorf("of %d messages %d arrived, and the first wrong one was number %d", n, r.Count, r.Wrong)
	}
	return r, nil
}

// cpu returns the processor time that this process has used, in seconds.
func cpu() float64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // which does not fail for oneself
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}
