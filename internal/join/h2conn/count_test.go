package h2conn_test

import (
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/join/h2conn"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	xhttp2 "golang.org/x/net/http2"
)

// counting returns a rig of a server that counts errors, whose peer has sent nothing yet. CountError takes the lock,
// which must be free.
func counting(t *testing.T, w way, wire http2.Config) (r *rig, counted chan string) {
	counted = make(chan string, 100)
	near, far := w.conns(t)
	made := make(chan *rig, 1)
	r = begin(t, near, far, settings{wire: wire, policy: h2conn.Policy{CountError: func(name string) {
		r := <-made
		made <- r
		r.Lock()
		defer r.Unlock()
		counted <- name
	}}})
	made <- r
	return r, counted
}

// Every error is counted once: of streams that the owner knows or not, and of connections, however
// they are found.
func TestErrorsAreCounted(t *testing.T) {
	for name, tc := range map[string]struct {
		wire   http2.Config
		breaks func(r *rig) *stream // returns a stream that is to be left
		frame  string
		want   []string
	}{
		"of a stream": {
			breaks: func(r *rig) *stream {
				s := r.open(1, false)
				_ = r.Framer.WriteWindowUpdate(1, 0)
				return s
			},
			frame: "RST_STREAM 1 PROTOCOL_ERROR",
			want:  []string{"stream_protocol_error_window_update_zero"},
		},
		"of a stream that nobody knows": {
			wire: http2.Config{MaxStreams: 1},
			breaks: func(r *rig) *stream {
				s := r.open(1, false)
				r.request(3, true)
				return s
			},
			frame: "RST_STREAM 3 REFUSED_STREAM",
			want:  []string{"stream_refused_stream_max_streams"},
		},
		"of both, arriving at once": {
			wire: http2.Config{MaxStreams: 1},
			breaks: func(r *rig) *stream {
				s := r.open(1, false)
				r.request(3, true)
				_ = r.Framer.WriteWindowUpdate(0, 0)
				r.Want("RST_STREAM 3 REFUSED_STREAM")
				return s
			},
			frame: "GOAWAY 3 PROTOCOL_ERROR",
			want:  []string{"stream_refused_stream_max_streams", "conn_protocol_error_window_update_zero"},
		},
		"of a connection": {
			breaks: func(r *rig) *stream {
				s := r.open(1, false)
				_ = r.Framer.WriteContinuation(1, true, nil)
				return s
			},
			frame: "GOAWAY 1 PROTOCOL_ERROR",
			want:  []string{"conn_protocol_error_continuation"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, w := range ways {
				t.Run(w.name, func(t *testing.T) {
					r, counted := counting(t, w, tc.wire)
					r.HelloServer()
					s := tc.breaks(r)
					r.Want(tc.frame)
					for _, want := range tc.want {
						if got := wiretest.Within(t, "an error", counted); got != want {
							t.Errorf("counted %q, want %q", got, want)
						}
					}
					s.leave()
					_ = r.Talk.Conn.Close()
					wiretest.Within(t, "the end", r.over)
					if len(counted) > 0 {
						t.Errorf("counted %q besides", <-counted)
					}
				})
			}
		})
	}
}

// A timeout is counted, here of SETTINGS that are not acknowledged.
func TestErrorsOfTimeAreCounted(t *testing.T) {
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			r, counted := counting(t, w, http2.Config{})
			_, _ = r.Talk.Conn.Write([]byte(xhttp2.ClientPreface))
			_ = r.Framer.WriteSettings()
			r.Want("SETTINGS", "SETTINGS ack")
			r.WantIdle()
			r.clock.Advance(11 * time.Second)
			wiretest.Eventually(t, "an error", func() bool { r.clock.Advance(10 * time.Millisecond); return len(counted) > 0 })
			r.Want("GOAWAY 0 SETTINGS_TIMEOUT")
			if got := <-counted; got != "conn_settings_timeout_settings_ack_late" {
				t.Errorf("counted %q", got)
			}
		})
	}
}

// The end of the connection is counted when the owner resets more streams at once than may be pending, even if the peer
// sends nothing afterwards.
func TestErrorsOfTheOwnersDoingAreCounted(t *testing.T) {
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			const most = 20
			r, counted := counting(t, w, http2.Config{MaxPending: most*(http2.FrameHeaderLen+4) - 1})
			r.HelloServer()
			var all []*stream
			for i := range uint32(most) {
				all = append(all, r.open(2*i+1, false))
			}
			all[0].locked(func() {
				for _, s := range all {
					s.ResetLocked(http2.ErrCodeCancel)
				}
			})
			_ = r.Talk.Conn.Close()
			for _, s := range all {
				s.leave()
			}
			if got := wiretest.Within(t, "an error", counted); got != "conn_enhance_your_calm_pending_answers" {
				t.Errorf("counted %q", got)
			}
			wiretest.Within(t, "the end", r.over)
			if len(counted) > 0 {
				t.Errorf("counted %q besides", <-counted)
			}
		})
	}
}
