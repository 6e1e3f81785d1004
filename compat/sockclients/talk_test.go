package sockclients

import (
	"bytes"
	"context"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/compat/internal/both"
	"github.com/shockwave-go/shockwave/streamsock"
)

// Every client talks to a socket over all its transports, in both framings.
func TestTalk(t *testing.T) {
	eachDriver(t, everyone, func(t *testing.T, d driver) {
		ca := authority(t)
		var jobs []string
		var plays []*play
		for _, scheme := range d.schemes {
			for i := range scenes {
				for _, framing := range scenes[i].framings(scheme) {
					p := newPlay(t, &scenes[i], d, scheme, framing)
					plays = append(plays, p)
					jobs = append(jobs, p.job)
				}
			}
		}
		lines := d.play(t, ca, jobs...)
		for i, p := range plays {
			if !has(lines[i], []string{p.client}) {
				t.Errorf("%s: the client tells %q, want %q", p.name, lines[i], p.client)
			}
			if end := both.Receive(t, p.end, "the end of "+p.name); !strings.HasPrefix(end, p.socket) {
				t.Errorf("%s: the socket tells %q, want %q", p.name, end, p.socket)
			}
		}
	})
}

// authority writes the certificate of wss and tls into a file that clients trust.
func authority(t *testing.T) string {
	t.Helper()
	server, _ := both.Secure(t)
	name := filepath.Join(t.TempDir(), "ca.pem")
	block := &pem.Block{Type: "CERTIFICATE", Bytes: server.Certificates[0].Certificate[0]}
	if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// newSocket returns a socket that pages may connect to, which ends with the test, and where it is bound.
func newSocket(t *testing.T, cfg streamsock.Config, scheme string) (s *streamsock.Socket, url string) {
	t.Helper()
	cfg.Origins = []string{"127.0.0.1:*"}
	cfg.TLSConfig, _ = both.Secure(t)
	s = streamsock.New(cfg)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), both.Patience)
		defer cancel()
		_ = s.Shutdown(ctx)
	})
	bound, err := s.Bind(scheme + "://127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return s, bound[0]
}

// play is a scene that waits for its client.
type play struct {
	*scene
	name, job      string
	client, socket string // the outcome
	end            chan string
}

func newPlay(t *testing.T, sc *scene, d driver, scheme, framing string) *play {
	t.Helper()
	cfg, out, most := sc.cfg, sc.ws, 2*large
	if framing == "p" {
		cfg.Framing = streamsock.FramingPrefixed
	}
	if scheme == "tcp" || scheme == "tls" {
		out = sc.tcp
	}
	if sc.max > 0 {
		most = sc.max
	}
	codes := strings.NewReplacer("{1003}", fmt.Sprint(d.code(1003)), "{1009}", fmt.Sprint(d.code(1009)))
	s, url := newSocket(t, cfg, scheme)
	p := &play{
		scene: sc, name: fmt.Sprintf("%s, %s %s", sc.name, scheme, framing), end: make(chan string, 1),
		job:    fmt.Sprintf("%s%s,%d,%s", sc.flags, framing, most, url),
		client: codes.Replace(out.client), socket: codes.Replace(out.socket),
	}
	go p.serve(t, s)
	return p
}

// serve plays the socket's part.
func (p *play) serve(t *testing.T, s *streamsock.Socket) {
	heard := 0
	for {
		m, err := s.Recv(context.Background())
		if err != nil {
			return
		}
		switch m.Kind {
		case streamsock.EventConnected:
			p.send(t, m.Peer)
		case streamsock.EventDisconnected:
			said := strings.TrimSpace(fmt.Sprintf("%v %d %s", m.End.Reason, m.End.Code, m.End.Text))
			if heard != len(p.heard) {
				said = fmt.Sprintf("%d messages of %d, then %s", heard, len(p.heard), said)
			}
			p.end <- said + " "
			return
		default:
			p.hear(t, m, heard)
			heard++
			m.Release()
		}
	}
}

func (p *play) send(t *testing.T, to *streamsock.Peer) {
	send := to.Send
	if p.text {
		send = to.SendText
	}
	for _, m := range p.messages {
		if err := send(m); err != nil {
			t.Errorf("%s: %v", p.name, err)
		}
	}
}

// hear compares the i-th message with what is to come.
func (p *play) hear(t *testing.T, m streamsock.Message, i int) {
	if i >= len(p.heard) || !bytes.Equal(m.Data, p.heard[i]) {
		t.Errorf("%s: message %d has %d bytes, or others", p.name, i, len(m.Data))
		return
	}
	if (m.Kind == streamsock.KindText) != p.text {
		t.Errorf("%s: message %d is of the kind %v", p.name, i, m.Kind)
	}
	if i == len(p.heard)-1 && p.bye {
		if err := m.Peer.Disconnect(4000, "enough"); err != nil {
			t.Errorf("%s: %v", p.name, err)
		}
	}
}
