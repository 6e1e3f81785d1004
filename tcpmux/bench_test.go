package tcpmux_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"sync"
	"testing"

	"github.com/shockwave-go/shockwave/tcpmux"
)

var sizes = []int{100, 1 << 10, 64 << 10, 200_000, 1 << 20}

// direct returns both sides of a session without a proxy between them.
func direct(t testing.TB, cfg tcpmux.Config) (a, b *tcpmux.Session) {
	t.Helper()
	l, err := tcpmux.Listen("tcp://127.0.0.1:0", cfg)
	if err != nil {
		t.Fatal(err)
	}
	if a, err = tcpmux.Dial(context.Background(), "tcp://"+l.Addr().String(), cfg); err != nil {
		t.Fatal(err)
	}
	if b, err = l.Accept(context.Background()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		a.Close()
		_ = l.Shutdown(context.Background())
	})
	return a, b
}

// echo sends back every message.
func echo(c *tcpmux.Channel, size int) {
	buf := make([]byte, size)
	for {
		n, err := c.ReceiveInto(context.Background(), buf)
		if err != nil || c.Send(context.Background(), buf[:n]) != nil {
			return
		}
	}
}

// BenchmarkEcho measures a message and its echo, over a bare connection and over a channel.
func BenchmarkEcho(b *testing.B) {
	for _, size := range sizes {
		b.Run(fmt.Sprint("raw/", size), func(b *testing.B) { rawEcho(b, size) })
		b.Run(fmt.Sprint("mux/", size), func(b *testing.B) {
			s, far := direct(b, tcpmux.Config{})
			c, _ := s.Open("x")
			go func() {
				d, _ := far.Accept(context.Background())
				echo(d, size)
			}()
			p, got := make([]byte, size), make([]byte, size)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				if err := c.Send(context.Background(), p); err != nil {
					b.Fatal(err)
				}
				if _, err := c.ReceiveInto(context.Background(), got); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkOneWay measures messages in one direction, over a bare connection and over a channel.
func BenchmarkOneWay(b *testing.B) {
	for _, size := range sizes {
		b.Run(fmt.Sprint("raw/", size), func(b *testing.B) { rawOneWay(b, size) })
		b.Run(fmt.Sprint("mux/", size), func(b *testing.B) {
			s, far := direct(b, tcpmux.Config{})
			c, _ := s.Open("x")
			done := make(chan struct{})
			go func() {
				defer close(done)
				d, _ := far.Accept(context.Background())
				buf := make([]byte, size)
				for {
					if _, err := d.ReceiveInto(context.Background(), buf); err != nil {
						return
					}
				}
			}()
			p := make([]byte, size)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				if err := c.Send(context.Background(), p); err != nil {
					b.Fatal(err)
				}
			}
			c.CloseSend()
			<-done
		})
	}
}

// BenchmarkChannels measures echoes over many channels at once.
func BenchmarkChannels(b *testing.B) {
	for _, n := range []int{64, 1000} {
		b.Run(fmt.Sprint("mux/", n), func(b *testing.B) {
			const size = 100
			s, far := direct(b, tcpmux.Config{})
			var all sync.WaitGroup
			go func() {
				for {
					d, err := far.Accept(context.Background())
					if err != nil {
						return
					}
					go echo(d, size)
				}
			}()
			b.ReportAllocs()
			for k := range n {
				c, _ := s.Open(fmt.Sprint(k))
				all.Go(func() {
					p, got := make([]byte, size), make([]byte, size)
					for range b.N / n {
						if c.Send(context.Background(), p) != nil {
							return
						}
						if _, err := c.ReceiveInto(context.Background(), got); err != nil {
							return
						}
					}
				})
			}
			all.Wait()
		})
	}
}

// rawPair is a TCP connection; messages that arrive with a length before them are passed to f.
func rawPair(b *testing.B, size int, f func(nc net.Conn, p []byte) error) (net.Conn, chan struct{}) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	nc, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	far, err := l.Accept()
	if err != nil {
		b.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer far.Close()
		buf := make([]byte, size+4)
		for readRaw(far, buf) == nil && f(far, buf) == nil {
		}
	}()
	return nc, done
}

// readRaw reads a length and the message after it.
func readRaw(nc net.Conn, buf []byte) error {
	n, err := io.ReadAtLeast(nc, buf, 4)
	if err != nil {
		return err
	}
	size := int(binary.BigEndian.Uint32(buf)) + 4
	_, err = io.ReadFull(nc, buf[n:size])
	return err
}

func rawEcho(b *testing.B, size int) {
	nc, done := rawPair(b, size, func(nc net.Conn, p []byte) error {
		_, err := nc.Write(p)
		return err
	})
	p, got := make([]byte, size+4), make([]byte, size+4)
	binary.BigEndian.PutUint32(p, uint32(size))
	b.SetBytes(int64(size))
	for b.Loop() {
		if _, err := nc.Write(p); err != nil {
			b.Fatal(err)
		}
		if err := readRaw(nc, got); err != nil {
			b.Fatal(err)
		}
	}
	nc.Close()
	<-done
}

func rawOneWay(b *testing.B, size int) {
	nc, done := rawPair(b, size, func(net.Conn, []byte) error { return nil })
	p := make([]byte, size+4)
	binary.BigEndian.PutUint32(p, uint32(size))
	b.SetBytes(int64(size))
	for b.Loop() {
		if _, err := nc.Write(p); err != nil {
			b.Fatal(err)
		}
	}
	nc.Close()
	<-done
}
