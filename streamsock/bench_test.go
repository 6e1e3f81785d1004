package streamsock_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/shockwave-go/shockwave/streamsock"
)

// BenchmarkOneWay sends messages of one size from one socket to another.
func BenchmarkOneWay(b *testing.B) {
	for _, transport := range []string{"tcp", "ws", "tls", "wss"} {
		for _, size := range []int{64, 1 << 10, 64 << 10, 256 << 10} {
			b.Run(fmt.Sprint(transport, "/", size), func(b *testing.B) { oneWay(b, transport, size) })
		}
	}
}

func oneWay(b *testing.B, transport string, size int) {
	ours, theirs := certificate(b)
	in, out := newSocket(b, streamsock.Config{TLSConfig: ours}), newSocket(b, streamsock.Config{DialTLSConfig: theirs})
	bound, err := in.Bind(transport + "://127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	peer, err := out.Connect(bound[0])
	if err != nil {
		b.Fatal(err)
	}
	if m, err := out.Recv(context.Background()); err != nil || m.Kind != streamsock.EventConnected {
		b.Fatalf("got %v, %v; want %v", m.Kind, err, streamsock.EventConnected)
	}
	done := make(chan int, 1)
	go func() {
		dst, got := make([]streamsock.Message, 256), 0
		for got < b.N {
			n, err := in.RecvBatch(context.Background(), dst)
			if err != nil {
				break
			}
			for i := range dst[:n] {
				m := &dst[i]
				if m.Kind == streamsock.KindBinary && len(m.Data) == size && m.Data[0] == 'x' && m.Data[size-1] == byte(got) {
					got++
				}
				m.Release()
			}
		}
		done <- got
	}()
	p := make([]byte, size)
	p[0] = 'x'
	b.SetBytes(int64(size))
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		p[size-1] = byte(i)
		if err := peer.Send(p); err != nil {
			b.Fatal(err)
		}
	}
	if got := <-done; got != b.N {
		b.Errorf("%d of %d arrived", got, b.N)
	}
}
