package http2

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave/compat/internal/both"
)

func endRows() []row {
	return []row{
		{name: "a panic before the head", handle: panicking(func(http.ResponseWriter) { panic("before") }), play: panics},
		{name: "a panic behind the head", handle: panicking(func(w http.ResponseWriter) {
			http.NewResponseController(w).Flush()
			panic("behind")
		}), play: panics},
		{name: "a panic that the log does not see", handle: panicking(func(http.ResponseWriter) { panic(http.ErrAbortHandler) }),
			play: func(k *talk) {
				panics(k)
				k.notef("log: %q", k.Logged())
			}},
		{name: "Shutdown lets finish what has begun", handle: func(k *talk, w http.ResponseWriter, r *http.Request) {
			http.NewResponseController(w).Flush()
			io.Copy(w, r.Body)
		}, play: func(k *talk) {
			in, out := io.Pipe()
			res := k.send(k.request("POST", "/", in))
			closing := make(chan bool, 1)
			k.Server.RegisterOnShutdown(func() { closing <- true })
			done := make(chan error, 1)
			go func() {
				ctx, cancel := context.WithTimeout(context.Background(), both.Patience)
				defer cancel()
				done <- k.Server.Shutdown(ctx)
			}()
			both.Receive(k.T, closing, "the beginning of Shutdown")
			io.WriteString(out, "as usual")
			out.Close()
			body, err := io.ReadAll(res.Body)
			k.notef("client: %q, %v", body, err)
			k.notef("Shutdown: %v", both.Receive(k.T, done, "the end of Shutdown"))
			_, err = k.Client.Do(k.request("GET", "/", nil))
			k.notef("a request behind it fails: %v", err != nil)
		}},
		{name: "Shutdown of a connection that is idle", handle: echo, play: func(k *talk) {
			k.tell(k.request("GET", "/", nil))
			ctx, cancel := context.WithTimeout(context.Background(), both.Patience)
			defer cancel()
			k.notef("Shutdown: %v", k.Server.Shutdown(ctx))
		}},
		{name: "Shutdown gives up", handle: func(k *talk, w http.ResponseWriter, r *http.Request) {
			http.NewResponseController(w).Flush()
			<-r.Context().Done()
			k.left()
		}, play: func(k *talk) {
			res := k.send(k.request("GET", "/", nil))
			ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
			defer cancel()
			k.notef("Shutdown: %v", k.Server.Shutdown(ctx))
			k.notef("Close: %v", k.Server.Close())
			_, err := io.ReadAll(res.Body)
			k.notef("client: fails %v", err != nil)
			k.hasLeft()
		}},
		{name: "a time limit of a handler's response", handle: func(k *talk, w http.ResponseWriter, r *http.Request) {
			http.TimeoutHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				<-r.Context().Done()
				_, err := io.WriteString(w, "late")
				for err == nil { // TimeoutHandler, which waits for the same, may be behind
					time.Sleep(time.Millisecond)
					_, err = io.WriteString(w, "late")
				}
				k.notef("handler: %v, %v", r.Context().Err(), err)
				k.left()
			}), 10*time.Millisecond, "it took too long").ServeHTTP(w, r)
		}, play: func(k *talk) {
			x := k.Read(k.Client.Do(k.request("GET", "/", nil)))
			k.hasLeft()
			k.notef("%s", brief(x))
		}},
		{name: "a read deadline of a request",
			differs: "a handler that says nothing behind its deadline leaves the response to the server: 408",
			ours:    "client: HTTP/2.0 408",
			handle: func(k *talk, w http.ResponseWriter, r *http.Request) {
				if r.Method != "POST" {
					return
				}
				http.NewResponseController(w).SetReadDeadline(time.Now().Add(10 * time.Millisecond))
				_, err := io.ReadAll(r.Body)
				k.notef("handler: a deadline %v", err != nil && (errors.Is(err, context.DeadlineExceeded) || strings.Contains(err.Error(), "timeout")))
			}, play: func(k *talk) {
				in, out := io.Pipe()
				defer out.Close()
				k.tell(k.request("POST", "/", in))
				k.tell(k.request("GET", "/", nil)) // another request is not under it
			}},
		{name: "a write deadline of a response", handle: func(k *talk, w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/" {
				return
			}
			http.NewResponseController(w).SetWriteDeadline(time.Now().Add(20 * time.Millisecond))
			for b := make([]byte, 32<<10); ; {
				if _, err := w.Write(b); err != nil {
					k.left()
					return
				}
			}
		}, play: func(k *talk) {
			res := k.send(k.request("GET", "/", nil))
			k.hasLeft()
			_, err := io.Copy(io.Discard, res.Body)
			k.notef("client: fails %v", err != nil)
			k.tell(k.request("GET", "/again", nil))
		}},
	}
}

func panicking(how func(w http.ResponseWriter)) func(*talk, http.ResponseWriter, *http.Request) {
	return func(_ *talk, w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			how(w)
		}
	}
}

// panics asks for what panics, and then for something else on the same connection.
func panics(k *talk) {
	x := k.Read(k.Client.Do(k.request("GET", "/", nil)))
	k.notef("client: %d fails %v", x.Status, x.Failure != "")
	k.tell(k.request("GET", "/again", nil))
}
