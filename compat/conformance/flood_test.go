package conformance

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/compat/internal/program"
)

// Input that never ends is refused before 2 MiB have been taken.
func TestSafetyEndless(t *testing.T) {
	const head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
	x := strings.Repeat("x", 8<<10)
	for _, tc := range []struct{ name, start, unit, want string }{
		{"method", "", x, "501 414 431 400"},
		{"target", "GET /", x, "414 431 400"},
		{"value", "GET / HTTP/1.1\r\nHost: a\r\nX: ", x, "431 400"},
		{"name", "GET / HTTP/1.1\r\nHost: a\r\n", x, "431 400"},
		{"fields", "GET / HTTP/1.1\r\nHost: a\r\n", strings.Repeat("X: y\r\n", 1000), "431 400"},
		{"empty lines", "", strings.Repeat("\r\n", 4<<10), "400 431"},
		{"chunk extension", head + "1;", x, "400 413 431"},
		{"many chunk extensions", head, strings.Repeat("1;"+x[:100]+"\r\nx\r\n", 100), "400 413 431"},
		{"zeros of a chunk size", head, strings.Repeat("0", 8<<10), "400 413"},
		{"trailer", head + "0\r\nX: ", x, "400 413 431"},
		{"trailers", head + "0\r\n", strings.Repeat("X: y\r\n", 1000), "400 413 431"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			onBothHandlers(t, func(t *testing.T, tg *target) { mustRefuseSoon(t, tg, tc.start, tc.unit, tc.want) })
		})
	}
}

// mustRefuseSoon sends unit after unit, and stops for a response between them.
func mustRefuseSoon(t *testing.T, tg *target, start, unit, want string) {
	nc := tg.mustDial(t)
	_ = nc.SetWriteDeadline(time.Now().Add(patience))
	br := bufio.NewReader(nc)
	sent, _ := nc.Write([]byte(start))
	for sent < 2<<20 {
		n, err := nc.Write([]byte(unit))
		sent += n
		wait := 2 * time.Millisecond
		if err != nil || sent >= 2<<20 {
			wait = patience
		}
		_ = nc.SetReadDeadline(time.Now().Add(wait))
		if _, err := br.Peek(1); err == nil || !errors.Is(err, os.ErrDeadlineExceeded) {
			break
		}
	}
	_ = nc.SetReadDeadline(time.Now().Add(patience))
	r, err := readReply(br, false)
	if err != nil {
		t.Fatalf("after %d bytes: %v", sent, err)
	}
	if !strings.Contains(want, strconv.Itoa(r.status)) || !r.says("Connection", "close") {
		t.Errorf("after %d bytes: %d %q, want %s and a close", sent, r.status, r.body, want)
	}
}

// Memory follows the bytes of a body that have arrived, not its announced length.
func TestSafetyClaims(t *testing.T) {
	if program.Raced {
		t.Skip("the race detector's memory is its own")
	}
	for name, framing := range map[string]string{
		"a terabyte by length":  "Content-Length: 1099511627776\r\n\r\nabc",
		"30 MiB by length":      "Content-Length: 31457280\r\n\r\nabc",
		"30 MiB in a chunk":     "Transfer-Encoding: chunked\r\n\r\n1e00000\r\nabc",
		"a terabyte in a chunk": "Transfer-Encoding: chunked\r\n\r\n10000000000\r\nabc",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onBothHandlers(t, func(t *testing.T, tg *target) {
				mustRespond(t, tg, "/")
				before := residentKiB(t, tg.pid)
				for range 100 {
					nc := tg.mustDial(t)
					if _, err := fmt.Fprintf(nc, "POST / HTTP/1.1\r\nHost: a\r\n%s", framing); err != nil {
						t.Fatal(err)
					}
				}
				for range 20 {
					mustRespond(t, tg, "/")
					time.Sleep(10 * time.Millisecond)
				}
				if grown := residentKiB(t, tg.pid) - before; grown > 48<<10 {
					t.Errorf("100 claims of %s took %d KiB", name, grown)
				}
			})
		})
	}
}

// The native server refuses a chunk beyond the limit of a body on its size line.
func TestSafetyChunkClaim(t *testing.T) {
	if os.Getenv("SHOCKWAVE_CONFORMANCE_ADDR") != "" {
		t.Skip("safety is tested on our own program only")
	}
	t.Parallel()
	nc := startEcho(t, "-native").mustDial(t)
	_ = nc.SetDeadline(time.Now().Add(patience))
	_, _ = nc.Write([]byte("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n10000000000\r\n"))
	if r, err := readReply(bufio.NewReader(nc), false); err != nil || r.status != 413 {
		t.Errorf("a chunk of 2^40 bytes: %+v %v, want 413", r, err)
	}
}

// residentKiB is how much memory a process holds.
func residentKiB(t *testing.T, pid int) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Skip(err)
	}
	_, rest, _ := bytes.Cut(text, []byte("VmRSS:"))
	n, err := strconv.Atoi(string(bytes.Fields(rest)[0]))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// 1,100 connections that are open at once are all served, twice.
func TestSafetyManyConnections(t *testing.T) {
	t.Parallel()
	onBothHandlers(t, func(t *testing.T, tg *target) {
		const n = 1100
		conns := make([]*talk, n)
		for i := range n {
			conns[i] = begin(tg.mustDial(t), pace{})
		}
		for round := range 2 {
			for i, c := range conns {
				path := fmt.Sprintf("/%d/%d", round, i)
				r := mustRespondOn(t, c.nc, c.br, path)
				if got, _ := r.echo("target"); got != path {
					t.Fatalf("connection %d: got the response to %s, want %s", i, got, path)
				}
			}
		}
	})
}

// A fast request before a slow one in the same segment does not wait, and one after it gets its response in order.
func TestSafetyFastAndSlow(t *testing.T) {
	t.Parallel()
	onBothHandlers(t, func(t *testing.T, tg *target) {
		nc := tg.mustDial(t)
		br := bufio.NewReader(nc)
		const fast = "GET /plaintext HTTP/1.1\r\nHost: a\r\n\r\n"
		if _, err := nc.Write([]byte(fast + "GET /sleep?ms=3000 HTTP/1.1\r\nHost: a\r\n\r\n" + fast)); err != nil {
			t.Fatal(err)
		}
		// Less than the sleep: the first response must not be kept back for it.
		for i, wait := range []time.Duration{2 * time.Second, patience, patience} {
			_ = nc.SetReadDeadline(time.Now().Add(wait))
			if r, err := readReply(br, false); err != nil || r.status != 200 {
				t.Fatalf("response %d: got %+v, %v", i+1, r, err)
			}
			if i == 0 {
				mustRespond(t, tg, "/plaintext") // nor does anybody else wait
			}
		}
	})
}

// 1,000 requests that are sent ahead all get responses, in order.
func TestSafetyPipeline(t *testing.T) {
	t.Parallel()
	onBothHandlers(t, func(t *testing.T, tg *target) {
		const n = 1000
		var all bytes.Buffer
		for i := range n {
			switch i % 5 {
			case 0, 1:
				fmt.Fprintf(&all, "GET /%d HTTP/1.1\r\nHost: h%d\r\nX-Probe: %d\r\n\r\n", i, i, i)
			case 2:
				fmt.Fprintf(&all, "POST /%d HTTP/1.1\r\nHost: h%d\r\nX-Probe: %d\r\nContent-Length: 5\r\n\r\nhello", i, i, i)
			case 3:
				fmt.Fprintf(&all, "POST /%d HTTP/1.1\r\nHost: h%d\r\nX-Probe: %d\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", i, i, i)
			case 4:
				fmt.Fprintf(&all, "HEAD /%d HTTP/1.1\r\nHost: h%d\r\n\r\n", i, i)
			}
		}
		nc := tg.mustDial(t)
		_ = nc.SetDeadline(time.Now().Add(4 * patience))
		var sending sync.WaitGroup
		sending.Go(func() { _, _ = nc.Write(all.Bytes()) })
		defer sending.Wait()
		br := bufio.NewReader(nc)
		for i := range n {
			r, err := readReply(br, i%5 == 4)
			if err != nil || r.status != 200 {
				t.Fatalf("response %d: got %+v, %v", i, r, err)
			}
			if got, _ := r.echo("probe"); i%5 != 4 && got != strconv.Itoa(i) {
				t.Fatalf("response %d is for request %q", i, got)
			}
		}
	})
}

// Thousands of connections that end in every way are all accepted, and none stays.
func TestSafetyChurn(t *testing.T) {
	t.Parallel()
	onBothHandlers(t, func(t *testing.T, tg *target) {
		sockets := openSockets(t, tg)
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for i := range 400 {
					if err := churn(tg, i); err != nil {
						t.Errorf("connection %d: %v", i, err)
						return
					}
				}
			})
		}
		all.Wait()
		mustLetGo(t, tg, sockets)
	})
}

// churn opens a connection and ends it in one of eight ways.
func churn(tg *target, way int) error {
	nc, err := tg.dial()
	if err != nil {
		return err
	}
	defer func() { _ = nc.Close() }()
	_ = nc.SetDeadline(time.Now().Add(patience))
	requests := []string{
		"", "GET / HT", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc", "GET /big?n=1000000 HTTP/1.1\r\nHost: a\r\n\r\n",
	}
	if _, err := nc.Write([]byte(before + requests[way%4])); err != nil {
		return err
	}
	if r, err := readReply(bufio.NewReader(nc), false); err != nil || r.status != 200 {
		return fmt.Errorf("%+v %w", r, err)
	}
	if way%8 > 3 {
		return nc.(*net.TCPConn).SetLinger(0) // the close that follows is a reset
	}
	return nil
}
