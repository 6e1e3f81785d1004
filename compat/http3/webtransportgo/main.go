// Program webtransportgo is the client of github.com/quic-go/webtransport-go, which talks to the server of a test. It is a module of its
// own, because that library is for another version of quic-go than the server. Usage: webtransportgo CERTIFICATE URL
//
// What it does, and what it expects, is what the handler of TestWebTransportGo does. At the end it says "all is well".
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/webtransport-go"
)

func main() {
	if err := talk(os.Args[1], os.Args[2]); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("all is well")
	time.Sleep(time.Minute) // what was sent last is still to arrive; the test ends the program
}

// dial opens a session.
func dial(ctx context.Context, certFile, url string) (*webtransport.Session, error) {
	pem, err := os.ReadFile(certFile)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	t := &webtransport.Transport{
		TLSClientConfig:      &tls.Config{RootCAs: roots, NextProtos: []string{"h3"}},
		QUICConfig:           &quic.Config{EnableDatagrams: true, EnableStreamResetPartialDelivery: true},
		ApplicationProtocols: []string{"other", "echo"},
	}
	c, err := quic.DialAddr(ctx, url[len("https://"):strings.LastIndex(url, "/")], t.TLSClientConfig, t.QUICConfig)
	if err != nil {
		return nil, err
	}
	conn, err := t.NewClientConn(c) // unlike Dial's, it does not end with the session
	if err != nil {
		return nil, err
	}
	_, s, err := conn.Dial(ctx, url, nil)
	return s, err
}

// talk has all conversations.
func talk(certFile, url string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Second)
	defer cancel()
	s, err := dial(ctx, certFile, url)
	if err != nil {
		return err
	}
	if p := s.SessionState().ApplicationProtocol; p != "echo" {
		return fmt.Errorf("the protocol is %q", p)
	}
	for _, step := range []func(context.Context, *webtransport.Session) error{bidi, uni, datagrams, served, resets, theirEnd} {
		if err := step(ctx, s); err != nil {
			return err
		}
	}
	if s, err = dial(ctx, certFile, url); err != nil {
		return err
	}
	return s.CloseWithError(99, "that was all")
}

// bidi has streams of many sizes echoed.
func bidi(ctx context.Context, s *webtransport.Session) error {
	for i := range 150 { // more than may be open at once
		want := strings.Repeat("b", i*i*10)
		str, err := s.OpenStreamSync(ctx)
		if err != nil {
			return err
		}
		go func() {
			io.WriteString(str, want)
			str.Close()
		}()
		if got, err := io.ReadAll(str); err != nil || string(got) != want {
			return fmt.Errorf("echo of %d bytes has %d, %v", len(want), len(got), err)
		}
	}
	return nil
}

// uni has a unidirectional stream echoed on another one.
func uni(ctx context.Context, s *webtransport.Session) error {
	for range 150 {
		out, err := s.OpenUniStreamSync(ctx)
		if err != nil {
			return err
		}
		io.WriteString(out, "one way")
		out.Close()
		in, err := s.AcceptUniStream(ctx)
		if err != nil {
			return err
		}
		if got, err := io.ReadAll(in); err != nil || string(got) != "one way" {
			return fmt.Errorf("echo on a unidirectional stream: %q, %v", got, err)
		}
	}
	return nil
}

// datagrams has datagrams echoed. They may be lost.
func datagrams(ctx context.Context, s *webtransport.Session) error {
	if err := s.SendDatagram(make([]byte, 1<<16)); err == nil {
		return errors.New("a datagram of 64 KiB was sent")
	}
	for i := 0; ; i++ {
		want := fmt.Sprint("datagram ", i)
		if err := s.SendDatagram([]byte(want)); err != nil {
			return err
		}
		wait, cancel := context.WithTimeout(ctx, time.Second)
		got, err := s.ReceiveDatagram(wait)
		cancel()
		if err == nil && strings.HasPrefix(string(got), "datagram ") {
			return nil
		}
		if ctx.Err() != nil {
			return err
		}
	}
}

// served replies on a stream that the server opens.
func served(ctx context.Context, s *webtransport.Session) error {
	str, err := s.AcceptStream(ctx)
	if err != nil {
		return err
	}
	got, err := io.ReadAll(str)
	if err != nil {
		return err
	}
	fmt.Fprintf(str, "you said %s", got)
	return str.Close()
}

// resets expects the codes of streams that are given up, and gives two up.
func resets(ctx context.Context, s *webtransport.Session) error {
	in, err := s.AcceptUniStream(ctx)
	if err != nil {
		return err
	}
	half := make([]byte, 4)
	if _, err := io.ReadFull(in, half); err != nil {
		return err
	}
	str, err := s.OpenStreamSync(ctx) // says that the half has come
	if err != nil {
		return err
	}
	if _, err := str.Write(half); err != nil {
		return err
	}
	_, err = io.ReadAll(in)
	if e, ok := errors.AsType[*webtransport.StreamError](err); !ok || e.ErrorCode != 1<<32-1 || !e.Remote {
		return fmt.Errorf("a stream that was reset: %v", err)
	}
	err = nil
	for err == nil {
		_, err = str.Write([]byte("stop me"))
	}
	if e, ok := errors.AsType[*webtransport.StreamError](err); !ok || e.ErrorCode != 30 || !e.Remote {
		return fmt.Errorf("a stream that was stopped: %v", err)
	}
	str.CancelRead(31)
	out, err := s.OpenUniStreamSync(ctx)
	if err != nil {
		return err
	}
	io.WriteString(out, "reset")
	out.CancelWrite(62)
	return nil
}

// theirEnd expects the end of the session.
func theirEnd(ctx context.Context, s *webtransport.Session) error {
	_, err := s.AcceptStream(ctx)
	if e, ok := errors.AsType[*webtransport.SessionError](err); !ok || e.ErrorCode != 1234 || e.Message != "goodbye, wörld" || !e.Remote {
		return fmt.Errorf("the end of the session: %v", err)
	}
	return nil
}
