package wire

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"
)

// Responses to pipelined requests arrive in order and whole.
func TestPipelined(t *testing.T) {
	onEveryFace(t, func(t *testing.T, s *site) {
		var all sync.WaitGroup
		defer all.Wait()
		for n := range uint64(3) {
			all.Go(func() {
				if err := s.pipeline(n); err != nil {
					t.Error(err)
				}
			})
		}
	})
}

// connect returns a connection to the site, that gives up when a test's patience ends.
func (s *site) connect() (net.Conn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	nc, err := s.dial(ctx)
	if err != nil {
		return nil, err
	}
	nc.SetDeadline(time.Now().Add(patience))
	if s.secure {
		nc = tls.Client(nc, anyCertificate)
	}
	return nc, nil
}

func (s *site) pipeline(nth uint64) error {
	const requests = 60
	nc, err := s.connect()
	if err != nil {
		return err
	}
	defer nc.Close()
	dice := diceFor("pipelined requests", nth)
	var wire bytes.Buffer
	wants := make([]string, requests)
	for i := range wants {
		wants[i] = ask(&wire, dice, uint64(i), i == requests-1)
	}
	sent := make(chan error, 1)
	go func() { sent <- copyRaggedly(nc, &wire, 1+dice.IntN(5000)) }()
	in := bufio.NewReader(nc)
	for i, want := range wants {
		if err := hear(in, want); err != nil {
			return fmt.Errorf("response %d: %w", i, err)
		}
	}
	if _, err := in.ReadByte(); err != io.EOF {
		return fmt.Errorf("after the last response: %w", err)
	}
	return <-sent
}

// ask writes a request and returns the sum of its response.
func ask(wire *bytes.Buffer, dice *rand.Rand, number uint64, last bool) (want string) {
	end := "\r\n"
	if last {
		end = "Connection: close\r\n\r\n"
	}
	size := int64(dice.IntN(1 << dice.IntN(17)))
	switch dice.IntN(4) {
	case 0:
		fmt.Fprintf(wire, "GET /length?number=%d&size=%d HTTP/1.1\r\nHost: %s\r\n%s", number, size, host, end)
		return sumOf(number, size)
	case 1:
		fmt.Fprintf(wire, "GET /chunks?number=%d&size=%d HTTP/1.1\r\nHost: %s\r\n%s", number, size, host, end)
		return sumOf(number, size)
	case 2:
		fmt.Fprintf(wire, "POST /sum HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n%s", host, size, end)
		io.Copy(wire, content(number, size))
	case 3:
		fmt.Fprintf(wire, "POST /sum HTTP/1.1\r\nHost: %s\r\nTransfer-Encoding: chunked\r\n%s", host, end)
		writeChunks(wire, dice, content(number, size))
	}
	text := sumOf(number, size)
	want, _ = sum(bytes.NewReader([]byte(text)))
	return want
}

func writeChunks(wire *bytes.Buffer, dice *rand.Rand, body io.Reader) {
	for {
		p := make([]byte, 1+dice.IntN(3000))
		n, _ := io.ReadFull(body, p)
		if n == 0 {
			break
		}
		fmt.Fprintf(wire, "%x\r\n%s\r\n", n, p[:n])
	}
	wire.WriteString("0\r\n\r\n")
}

// hear reads a response whose body must have a sum.
func hear(in *bufio.Reader, want string) error {
	res, err := http.ReadResponse(in, nil)
	if err != nil {
		return err
	}
	got, err := sum(res.Body)
	if err != nil || res.StatusCode != 200 || got != want {
		return fmt.Errorf("%s, %s and %v, want %s", res.Status, got, err, want)
	}
	return nil
}
