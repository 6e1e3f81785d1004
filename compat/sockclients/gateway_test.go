package sockclients

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"slices"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/compat/internal/both"
	"github.com/shockwave-go/shockwave/compat/internal/program"
)

// service is a connection of a service that knows messages behind their length, and nothing of WebSocket.
type service struct{ net.Conn }

func (s service) say(t *testing.T, p []byte) {
	if _, err := s.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(p))), p...)); err != nil {
		t.Errorf("the service says %d bytes: %v", len(p), err)
	}
}

// hear wants a message with these bytes.
func (s service) hear(t *testing.T, want []byte) {
	got := make([]byte, 4+len(want))
	n, err := io.ReadFull(s, got)
	if err != nil || binary.BigEndian.Uint32(got) != uint32(len(want)) || !bytes.Equal(got[4:], want) {
		t.Errorf("the service got %d bytes that begin with % x, %v; want a message of %d", n, got[:min(n, 8)], err, len(want))
	}
}

// hearEnd wants the end of what comes.
func (s service) hearEnd(t *testing.T) {
	if rest, err := io.ReadAll(s); err != nil || len(rest) > 0 {
		t.Errorf("the service got %d bytes, %v, want the end", len(rest), err)
	}
}

// throughGateway is what a service does on its connections, one after the other, and what the client tells then. The client
// of the first one sends everything back.
var throughGateway = []struct {
	flags string
	does  func(t *testing.T, s service)
	want  []string
}{
	{"e", func(t *testing.T, s service) {
		for _, n := range []int{0, 1, 125, 126, 65535, 65536, 1 << 20} {
			s.say(t, fill(n))
			s.hear(t, fill(n))
		}
	}, []string{"end closed 1000 0 -"}},
	{"", func(t *testing.T, s service) {
		s.say(t, []byte("do:send 100000"))
		s.hear(t, fill(100000))
		s.say(t, []byte("do:close 4000 done"))
		s.hearEnd(t)
		s.say(t, []byte("nobody in a page hears this"))
	}, []string{"end local 4000 0 done"}},
	{"", func(t *testing.T, s service) { s.Write([]byte("\x00\x00\x00\x05half")) }, []string{"end closed 1011 0 the_service_has_ended_in_the_middle"}},
	{"", func(t *testing.T, s service) {
		s.say(t, []byte("do:send 1")) // a connection that breaks at once may not exist yet for the side that dials
		s.hear(t, fill(1))
		s.Conn.(*net.TCPConn).SetLinger(0)
	}, []string{"end closed 1011 0 the_connection_to_the_service_has_broken"}},
	{"", func(t *testing.T, s service) { s.Write([]byte("\x7f\xff\xff\xff")); s.hearEnd(t) }, []string{"end closed 1011 0 a_message_of_the_service_is_too_large"}},
}

// The JavaScript module, in a page and in Node.js, talks through shockwave gateway to a service on tcp.
func TestGateway(t *testing.T) {
	gateway, err := program.Build(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Run("drivers", func(t *testing.T) {
		eachDriver(t, pages, func(t *testing.T, d driver) {
			l := both.Listen(t)
			t.Cleanup(func() { l.Close() })
			p := program.Start(t, gateway, "gateway", "-listen", "ws://127.0.0.1:0", "-origin", "*", "-log", "",
				"-to", "/service=tcp://"+l.Addr().String(), "-to", "/down=tcp://127.0.0.1:1")
			url := p.After("listening on ")
			go func() {
				for _, c := range throughGateway {
					nc, err := l.Accept()
					if err != nil {
						return // the test has ended
					}
					nc.SetDeadline(time.Now().Add(patience))
					c.does(t, service{nc})
					nc.Close()
				}
			}()
			var jobs []string
			for _, c := range throughGateway {
				jobs = append(jobs, c.flags+",16777216,"+url+"/service")
			}
			told := d.play(t, "", append(jobs, ",1,"+url+"/down", ",1,"+url+"/nowhere")...)
			for i, c := range throughGateway {
				if !slices.Equal(told[i], c.want) {
					t.Errorf("job %d: the client tells %q, want %q", i, told[i], c.want)
				}
			}
			if want := []string{"end closed 1013 0 the_service_is_down"}; !slices.Equal(told[len(jobs)], want) {
				t.Errorf("without a service: %q, want %q", told[len(jobs)], want)
			}
			if want := []string{"failed"}; !slices.Equal(told[len(jobs)+1], want) {
				t.Errorf("at another path: %q, want %q", told[len(jobs)+1], want)
			}
		})
	})
}
