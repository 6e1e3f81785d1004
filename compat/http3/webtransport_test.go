package http3

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/compat/internal/both"
	"github.com/shockwave-go/shockwave/compat/internal/program"
	"github.com/shockwave-go/shockwave/http3"
	"github.com/shockwave-go/shockwave/http3/webtransport"
	"github.com/shockwave-go/shockwave/nethttp"
	"github.com/shockwave-go/shockwave/server"
)

// serveSessions serves h over HTTP/3, with sessions of WebTransport, and returns the address.
func serveSessions(t *testing.T, h http.Handler, cert tls.Certificate) string {
	t.Helper()
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	srv := &nethttp.Server{Handler: h, TLSConfig: &tls.Config{Certificates: []tls.Certificate{cert}}}
	served := make(chan error, 1)
	go func() { served <- http3.NewServer(srv, http3.Config{WebTransportSessions: 4}).Serve(pc, "", "") }()
	t.Cleanup(func() {
		srv.Close()
		if err := <-served; err != server.ErrServerClosed {
			t.Errorf("Serve has returned %v", err)
		}
		pc.Close()
	})
	return pc.LocalAddr().String()
}

// echoSession echoes streams and datagrams, until ctx or the session ends.
func echoSession(ctx context.Context, s *webtransport.Session) {
	go func() {
		for {
			str, err := s.AcceptStream(ctx)
			if err != nil {
				return
			}
			go func() {
				defer str.Close()
				io.Copy(str, str)
			}()
		}
	}()
	go func() {
		for {
			in, err := s.AcceptUniStream(ctx)
			if err != nil {
				return
			}
			text, err := io.ReadAll(in)
			if err != nil {
				return
			}
			out, err := s.OpenUniStream(ctx)
			if err != nil {
				return
			}
			out.Write(text)
			out.CloseWrite()
		}
	}()
	go func() {
		for {
			p, err := s.ReceiveDatagram(ctx)
			if err != nil {
				return
			}
			s.SendDatagram(ctx, p)
		}
	}()
}

// The client of webtransport-go, which speaks draft 15, and our sessions understand each other.
func TestWebTransportGo(t *testing.T) {
	client := filepath.Join(t.TempDir(), "webtransportgo")
	if out, err := exec.Command("go", "build", "-C", "webtransportgo", "-o", client, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	certFile, keyFile := certificate(t)
	cert, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		t.Fatal(err)
	}
	sessions := make(chan *webtransport.Session, 2)
	addr := serveSessions(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s, err := webtransport.Accept(w, r, webtransport.Config{Protocols: []string{"echo"}})
		if err != nil {
			t.Error(err)
			return
		}
		sessions <- s
	}), cert)
	peer := program.Start(t, client, certFile, "https://"+addr+"/echo")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := talkToWebTransportGo(ctx, both.Receive(t, sessions, "a session")); err != nil {
		t.Errorf("%v; the client says:\n%s", err, peer.Said())
	}
	peer.After("all is well")
	second := both.Receive(t, sessions, "the second session")
	both.Receive(t, second.Context().Done(), "its end")
	if e, ok := errors.AsType[*webtransport.SessionError](context.Cause(second.Context())); !ok || *e != (webtransport.SessionError{Code: 99, Reason: "that was all", Remote: true}) {
		t.Errorf("the second session has ended with %v", context.Cause(second.Context()))
	}
}

// talkToWebTransportGo is the server's side of the conversation.
func talkToWebTransportGo(ctx context.Context, s *webtransport.Session) error {
	echo, stop := context.WithCancel(ctx)
	defer stop()
	echoSession(echo, s)
	str, err := s.OpenStream(ctx) // the client looks for it when it has been echoed enough
	if err != nil {
		return err
	}
	str.SetDeadline(time.Now().Add(patience))
	io.WriteString(str, "hello")
	str.CloseWrite()
	if got, err := io.ReadAll(str); err != nil || string(got) != "you said hello" {
		return fmt.Errorf("the client replies %q, %w", got, err)
	}
	stop()
	out, err := s.OpenUniStream(ctx)
	if err != nil {
		return err
	}
	io.WriteString(out, "half a message")
	if str, err = s.AcceptStream(ctx); err != nil { // it has read the half
		return err
	}
	out.CancelWrite(1<<32 - 1)
	str.CancelRead(30)
	io.WriteString(str, "more than is wanted")
	in, err := s.AcceptUniStream(ctx)
	if err != nil {
		return err
	}
	_, err = io.ReadAll(in)
	if e, ok := errors.AsType[*webtransport.StreamError](err); !ok || !e.HasCode || e.Code != 62 {
		return fmt.Errorf("a stream that the client has reset: %w", err)
	}
	_, err = io.WriteString(str, "more")
	if e, ok := errors.AsType[*webtransport.StreamError](err); !ok || !e.HasCode || e.Code != 31 {
		return fmt.Errorf("a stream that the client has stopped: %w", err)
	}
	return s.Close(1234, "goodbye, wörld")
}
