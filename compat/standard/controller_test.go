package standard

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/compat/internal/both"
)

// wrapped is a middleware's writer: nothing of its own, but it tells what it wraps.
type wrapped struct{ http.ResponseWriter }

func (w wrapped) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// viaController serves h with a controller on the server's writer, and on one that is wrapped twice.
func viaController(h func(rc *http.ResponseController, w http.ResponseWriter, r *http.Request)) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/direct", func(w http.ResponseWriter, r *http.Request) { h(http.NewResponseController(w), w, r) })
	mux.HandleFunc("/wrapped", func(w http.ResponseWriter, r *http.Request) {
		w = wrapped{wrapped{w}}
		h(http.NewResponseController(w), w, r)
	})
	return mux
}

// ways are the targets of viaController.
var ways = []string{"/direct", "/wrapped"}

// Flush of a ResponseController sends what was written on both servers.
func TestControllerFlush(t *testing.T) {
	t.Parallel()
	step := make(chan bool)
	h := viaController(func(rc *http.ResponseController, w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "one\n")
		if err := rc.Flush(); err != nil {
			panic(err)
		}
		<-step
		io.WriteString(w, "two\n")
	})
	both.Compare(t, both.With(h), func(t *testing.T, s *both.Site) (seen []string) {
		for _, way := range ways {
			p := s.Dial(t)
			p.Say("GET " + way + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
			x, err := http.ReadResponse(p.In, nil)
			if err != nil {
				t.Fatal(err)
			}
			first := make([]byte, len("one\n"))
			_, err = io.ReadFull(x.Body, first) // before the handler goes on
			both.Offer(t, step, true, "the second line")
			rest, _ := io.ReadAll(x.Body)
			seen = append(seen, fmt.Sprintf("%d %v %q %v %q", x.StatusCode, x.TransferEncoding, first, err, rest))
		}
		return seen
	})
}

// A read deadline that passes ends the read of a body, and the handler can still respond.
func TestControllerReadDeadline(t *testing.T) {
	t.Parallel()
	h := viaController(func(rc *http.ResponseController, w http.ResponseWriter, r *http.Request) {
		// Full duplex, since ours would end a body that stands still by itself otherwise.
		if err := errors.Join(rc.EnableFullDuplex(), rc.SetReadDeadline(time.Now().Add(10*time.Millisecond))); err != nil {
			panic(err)
		}
		b, err := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%q %v", b, errors.Is(err, os.ErrDeadlineExceeded))
	})
	both.Compare(t, both.With(h), func(t *testing.T, s *both.Site) (seen []both.Exchange) {
		for _, way := range ways {
			p := s.Dial(t)
			p.Say("POST " + way + " HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf")
			x := p.Response("POST")
			if x.Body != `"half" true` {
				t.Errorf("%s: %v", way, x)
			}
			x.Closes = false // ours says that the connection ends after a body that is left; both end it
			seen = append(seen, x)
		}
		return seen
	})
}

// A write deadline that passes fails a write that the client does not take.
func TestControllerWriteDeadline(t *testing.T) {
	t.Parallel()
	failed := make(chan error, 1)
	h := viaController(func(rc *http.ResponseController, w http.ResponseWriter, r *http.Request) {
		if err := rc.SetWriteDeadline(time.Now().Add(20 * time.Millisecond)); err != nil {
			panic(err)
		}
		chunk := make([]byte, 1<<20)
		for i := 0; ; i++ {
			if _, err := w.Write(chunk); err != nil || i == 1000 {
				failed <- err
				return
			}
		}
	})
	both.Run(t, h, func(t *testing.T, s *both.Site) {
		for _, way := range ways {
			p := s.Dial(t)
			p.Say("GET " + way + " HTTP/1.1\r\nHost: x\r\n\r\n")
			if err := both.Receive(t, failed, "the failure of Write"); !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("%s: %s: Write: %v", s.Name, way, err)
			}
			p.Close()
		}
	})
}

// With full duplex a handler responds to each line of a body that is still being sent.
func TestControllerFullDuplex(t *testing.T) {
	t.Parallel()
	h := viaController(func(rc *http.ResponseController, w http.ResponseWriter, r *http.Request) {
		if err := rc.EnableFullDuplex(); err != nil {
			panic(err)
		}
		buf := make([]byte, 100)
		for {
			n, err := r.Body.Read(buf)
			if n > 0 {
				fmt.Fprintf(w, "heard %s\n", buf[:n])
				rc.Flush()
			}
			if err != nil {
				return
			}
		}
	})
	both.Compare(t, both.With(h), func(t *testing.T, s *both.Site) (seen []string) {
		for _, way := range ways {
			body, say := io.Pipe()
			req, err := http.NewRequest("POST", s.URL+way, body)
			if err != nil {
				t.Fatal(err)
			}
			go say.Write([]byte("0"))
			res, err := s.Client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			buf := make([]byte, 100)
			for _, word := range []string{"1", "2", "3"} {
				n, err := io.ReadFull(res.Body, buf[:len("heard x\n")])
				if err != nil {
					t.Fatal(err)
				}
				seen = append(seen, string(buf[:n]))
				io.WriteString(say, word)
			}
			say.Close()
			rest, err := io.ReadAll(res.Body)
			res.Body.Close()
			seen = append(seen, string(rest), fmt.Sprint(err))
		}
		return seen
	})
}

// Hijack of a ResponseController returns the connection and the bytes read ahead.
func TestControllerHijack(t *testing.T) {
	t.Parallel()
	h := viaController(func(rc *http.ResponseController, w http.ResponseWriter, r *http.Request) {
		nc, rw, err := rc.Hijack()
		if err != nil {
			panic(err)
		}
		defer nc.Close()
		line, _ := rw.ReadString('\n')
		_, after := w.Write([]byte("x"))
		fmt.Fprintf(rw, "raw: heard %q, then %v, %v\n", line, after, rc.SetWriteDeadline(time.Now().Add(time.Minute)) != nil)
		rw.Flush()
		io.Copy(nc, rw)
	})
	both.Run(t, h, func(t *testing.T, s *both.Site) {
		for _, way := range ways {
			p := s.Dial(t)
			p.Say("GET " + way + " HTTP/1.1\r\nHost: x\r\n\r\nahead\n")
			got := p.Line()
			if !strings.HasPrefix(got, `raw: heard "ahead\n", then `+http.ErrHijacked.Error()) {
				t.Errorf("%s: %s: got %q", s.Name, way, got)
			}
			p.Say("more\n")
			if got := p.Line(); got != "more" {
				t.Errorf("%s: %s: %q came back", s.Name, way, got)
			}
			p.Close()
		}
	})
}
