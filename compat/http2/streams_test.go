package http2

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/shockwave-go/shockwave/compat/internal/both"
)

func streamRows() []row {
	return []row{
		{name: "a head arrives before the body", handle: func(k *talk, w http.ResponseWriter, r *http.Request) {
			k.notef("flush: %v", http.NewResponseController(w).Flush())
			io.Copy(w, r.Body) // ends when the client has seen the head
		}, play: func(k *talk) {
			in, out := io.Pipe()
			res := k.send(k.request("POST", "/", in))
			k.notef("client: %s, length %d", res.Status, res.ContentLength)
			io.WriteString(out, "now")
			out.Close()
			body, err := io.ReadAll(res.Body)
			k.notef("client: %q, %v", body, err)
		}},
		{name: "lines go back and forth", handle: func(k *talk, w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(200)
			c := http.NewResponseController(w)
			c.Flush()
			for in := bufio.NewScanner(r.Body); in.Scan(); c.Flush() {
				fmt.Fprintf(w, "got %s\n", in.Text())
			}
			k.notef("handler: the end")
		}, play: func(k *talk) {
			in, out := io.Pipe()
			res := k.send(k.request("POST", "/", in))
			back := bufio.NewScanner(res.Body)
			for i := range 100 {
				fmt.Fprintf(out, "line %d\n", i)
				if !back.Scan() || back.Text() != fmt.Sprint("got line ", i) {
					k.Fatalf("line %d: got %q, %v", i, back.Text(), back.Err())
				}
			}
			out.Close()
			k.notef("client: more %v, %v", back.Scan(), back.Err())
		}},
		{name: "a long body goes both ways at once", handle: echo, play: func(k *talk) {
			const n = 8 << 20
			res := k.send(k.request("POST", "/", unsized{strings.NewReader(letters(n))}))
			body, err := io.ReadAll(res.Body)
			k.notef("client: %d bytes, the same %v, %v", len(body), string(body) == letters(n), err)
		}},
		{name: "a response before the whole request", handle: func(k *talk, w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusForbidden)
			io.WriteString(w, "no")
		}, play: func(k *talk) {
			in, out := io.Pipe()
			go func() { // until the client stops
				for b := make([]byte, 32<<10); ; {
					if _, err := out.Write(b); err != nil {
						return
					}
				}
			}()
			x := k.Read(k.Client.Do(k.request("POST", "/", in)))
			k.notef("client: %d %q", x.Status, x.Body)
			in.Close()
			k.tell(k.request("GET", "/", nil))
		}},
		{name: "two hundred at once", handle: echo, play: func(k *talk) {
			var good atomic.Int32
			var all sync.WaitGroup
			for i := range 200 {
				all.Go(func() {
					text := strings.Repeat(fmt.Sprint(i, " "), 20_000)
					x := k.Read(k.Client.Do(k.request("POST", "/", unsized{strings.NewReader(text)})))
					if x.Status == 200 && x.Body == text {
						good.Add(1)
					}
				})
			}
			all.Wait()
			k.notef("%d are right", good.Load())
		}},
		{name: "fast ones are not behind a slow one", handle: onPath(handlers{
			"/slow": func(k *talk, w http.ResponseWriter, r *http.Request) {
				io.ReadAll(r.Body) // as long as the client likes
				io.WriteString(w, "slow")
			},
			"/fast": func(k *talk, w http.ResponseWriter, r *http.Request) { io.WriteString(w, "fast") },
		}), play: func(k *talk) {
			in, out := io.Pipe()
			slow := make(chan both.Exchange, 1)
			go func() { slow <- k.Read(k.Client.Do(k.request("POST", "/slow", in))) }()
			io.WriteString(out, "begun")
			for range 50 {
				k.tell(k.request("GET", "/fast", nil))
			}
			out.Close()
			k.notef("%s", brief(both.Receive(k.T, slow, "the slow response")))
		}},
		{name: "a response that is not read holds up no other", handle: func(k *talk, w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/long" {
				for b := bytes.Repeat([]byte("x"), 32<<10); ; {
					if _, err := w.Write(b); err != nil {
						return
					}
				}
			}
			io.WriteString(w, "short")
		}, play: func(k *talk) {
			// Each stream of this client takes 4 MiB and its connection 1 GiB.
			res := k.send(k.request("GET", "/long", nil))
			io.ReadFull(res.Body, make([]byte, 1))
			for range 5 {
				k.tell(k.request("GET", "/short", nil))
			}
			res.Body.Close()
			k.tell(k.request("GET", "/short", nil))
		}},
		{name: "a client that leaves while the handler waits", handle: func(k *talk, w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/" {
				http.NewResponseController(w).Flush()
				<-r.Context().Done()
				_, err := io.WriteString(w, "too late")
				err2 := http.NewResponseController(w).Flush()
				k.notef("handler: %v, cause %v, writing or flushing fails %v", r.Context().Err(), context.Cause(r.Context()), err != nil || err2 != nil)
				k.left()
			}
		}, play: func(k *talk) {
			ctx, cancel := context.WithCancel(k.Context())
			res := k.send(k.request("GET", "/", nil).WithContext(ctx))
			cancel()
			_, err := io.ReadAll(res.Body)
			k.hasLeft()
			k.notef("client: %v", errors.Is(err, context.Canceled))
			k.tell(k.request("GET", "/again", nil))
		}},
		{name: "a client that closes the body", handle: func(k *talk, w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/" {
				return
			}
			for b := make([]byte, 32<<10); ; {
				if _, err := w.Write(b); err != nil {
					break
				}
			}
			<-r.Context().Done() // which may come a moment behind the failure
			k.notef("handler: %v", r.Context().Err())
			k.left()
		}, play: func(k *talk) {
			res := k.send(k.request("GET", "/", nil))
			res.Body.Close()
			k.hasLeft()
			k.tell(k.request("GET", "/again", nil))
		}},
		{name: "hundreds leave, and the connection stays", handle: func(k *talk, w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/" {
				<-r.Context().Done()
			}
			k.notef("handler: %s", r.URL.Path)
		}, play: func(k *talk) {
			for range 300 {
				ctx, cancel := context.WithCancel(k.Context())
				failed := make(chan error, 1)
				go func() {
					res, err := k.Client.Do(k.request("GET", "/", nil).WithContext(ctx))
					if err == nil {
						res.Body.Close()
					}
					failed <- err
				}()
				k.tell(k.request("GET", "/other", nil))
				cancel()
				<-failed
			}
			k.mu.Lock()
			k.lines = k.lines[:0] // how many handlers have begun when their client leaves is a matter of luck
			k.mu.Unlock()
			k.tell(k.request("GET", "/end", nil))
			k.mu.Lock()
			defer k.mu.Unlock()
			k.lines = k.lines[len(k.lines)-1:]
		}},
	}
}

// left tells hasLeft that a handler has seen that its client is gone.
func (k *talk) left() { k.gone <- struct{}{} }

// hasLeft waits for left.
func (k *talk) hasLeft() {
	k.Helper()
	both.Receive(k.T, k.gone, "the handler's learning that its client is gone")
}
