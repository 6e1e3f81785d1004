package http3

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/compat/internal/both"
	"github.com/shockwave-go/shockwave/compat/internal/program"
	"github.com/shockwave-go/shockwave/http3/webtransport"
)

// hashedCertificate is one that Chromium takes by its hash: of an elliptic curve, and valid for at most two weeks.
func hashedCertificate(t *testing.T) (tls.Certificate, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	form := &x509.Certificate{
		SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(10 * 24 * time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, form, form, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, fmt.Sprintf("%x", sha256.Sum256(der))
}

// Chromium and sessions agree on streams, datagrams, codes, the end of a session from either side, and refusals.
func TestChromiumWebTransport(t *testing.T) {
	browser := program.Find(t, "chromium", "chromium-headless-shell", "chromium-browser", "google-chrome")
	cert, hash := hashedCertificate(t)
	sessions, told := make(chan *webtransport.Session, 4), make(chan string, 4)
	addr := serveSessions(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		cfg := webtransport.Config{Origins: []string{"*"}}
		if r.URL.Path == "/foreign" {
			cfg.Origins = nil
		}
		s, err := webtransport.Accept(w, r, cfg)
		if err != nil {
			told <- err.Error()
			return
		}
		sessions <- s
	}), cert)
	reports := make(chan string, 2)
	pages := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "POST" {
			said, _ := io.ReadAll(r.Body)
			reports <- string(said)
			return
		}
		http.ServeFile(w, r, "testdata/webtransport.html")
	}))
	defer pages.Close()
	program.Start(t, browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
		"--user-data-dir="+t.TempDir(), "--remote-debugging-port=0", pages.URL+"/?at="+addr+"&hash="+hash)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	first := both.Receive(t, sessions, "a session")
	go func() {
		if err := talkToChromium(ctx, first); err != nil {
			reports <- err.Error()
		}
	}()
	select {
	case said := <-reports:
		t.Fatal(said)
	case <-first.Context().Done():
	}
	var second *webtransport.Session
	select {
	case said := <-reports:
		t.Fatal(said)
	case second = <-sessions:
	}
	both.Receive(t, second.Context().Done(), "its end")
	if e, ok := errors.AsType[*webtransport.SessionError](context.Cause(second.Context())); !ok || *e != (webtransport.SessionError{Code: 99, Reason: "that was all", Remote: true}) {
		t.Errorf("the second session has ended with %v", context.Cause(second.Context()))
	}
	if why := both.Receive(t, told, "a session that is refused"); why != "webtransport: handshake: origin not allowed (draft-ietf-webtrans-http3 §3.2)" {
		t.Error(why)
	}
	if said := both.Receive(t, reports, "the report of the page"); said != "all right" {
		t.Errorf("the page says %q", said)
	}
}

// talkToChromium is the server's side of the conversation that the page has.
func talkToChromium(ctx context.Context, s *webtransport.Session) error {
	echo, stop := context.WithCancel(ctx)
	defer stop()
	echoSession(echo, s)
	str, err := s.OpenStream(ctx)
	if err != nil {
		return err
	}
	str.SetDeadline(time.Now().Add(patience))
	io.WriteString(str, "hello")
	str.CloseWrite()
	got, err := io.ReadAll(str)
	if err != nil || string(got) != "you said hello" { // the page replies when it has been echoed enough
		return fmt.Errorf("the page replies %q, %w", got, err)
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
	in, err := s.AcceptUniStream(ctx) // it has seen that
	if err != nil {
		return err
	}
	_, err = io.ReadAll(in)
	if e, ok := errors.AsType[*webtransport.StreamError](err); !ok || !e.HasCode || e.Code != 62 {
		return fmt.Errorf("a stream that the page has reset: %w", err)
	}
	for err = nil; err == nil; {
		_, err = io.WriteString(str, "more")
	}
	if e, ok := errors.AsType[*webtransport.StreamError](err); !ok || !e.HasCode || e.Code != 31 {
		return fmt.Errorf("a stream that the page has stopped: %w", err)
	}
	return s.Close(1234, "goodbye, wörld")
}
