package netconn

import (
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"
)

// slowWriter is a connection that takes output just when Quit gives up.
type slowWriter struct{ net.Conn }

func (c slowWriter) Write(p []byte) (int, error) {
	time.Sleep(quitTimeout)
	return c.Conn.Write(p)
}

// When Quit returns, it is decided whether the connection is aborted, also if its time ends just then.
func TestQuitLeavesNoAbort(t *testing.T) {
	for range 300 {
		synctest.Test(t, func(t *testing.T) {
			near, far := net.Pipe()
			go io.Copy(io.Discard, far)
			e := New(Config{})
			c, err := e.Pull(slowWriter{near}, nil, noOwner{})
			if err != nil {
				t.Fatal(err)
			}
			c.Hold()
			if ok, err := c.Post(Whole, []byte("held back")); !ok {
				t.Fatal(err)
			}
			c.Quit()
			decided := c.end.Load()
			synctest.Wait()
			if c.end.Load() != decided {
				t.Error("the connection was aborted after Quit had returned")
			}
			c.Finish(ErrDone)
			far.Close()
			e.Close()
		})
	}
}
