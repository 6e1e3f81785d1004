package behaviour

import (
	"fmt"
	"io"
	"net/http"
	"sync"
)

func duplexRows() []row {
	return []row{
		{name: "full duplex, byte by byte", want: "0123456789", play: func(s *scene) {
			s.serveFunc(func(w http.ResponseWriter, r *http.Request) {
				c := http.NewResponseController(w)
				if err := c.EnableFullDuplex(); err != nil {
					s.notef("%v", err)
				}
				c.Flush()
				for b := make([]byte, 1); ; {
					if _, err := r.Body.Read(b); err != nil {
						return
					}
					w.Write(b)
					c.Flush()
				}
			})
			in, out := io.Pipe()
			res, err := s.client().Post("http://"+s.addr, "text/plain", in)
			if err != nil {
				s.t.Fatal(err)
			}
			defer res.Body.Close()
			var got []byte
			for i := range 10 {
				out.Write([]byte{byte('0' + i)})
				b := make([]byte, 1)
				io.ReadFull(res.Body, b)
				got = append(got, b...)
			}
			out.Close()
			rest, err := io.ReadAll(res.Body)
			s.notef("%s %q %v", got, rest, err)
		}},
		{name: "full duplex through a wrapper", say: post(sized(5), "hello"), want: "<nil>",
			handler: func(w http.ResponseWriter, r *http.Request) {
				err := http.NewResponseController(wrapper{w}).EnableFullDuplex()
				io.Copy(io.Discard, r.Body)
				fmt.Fprint(w, err)
			}},
		{name: "full duplex: a body that is left", say: post(sized(5), "hello"),
			want: "200 OK\nContent-Length: 0\nended", ours: "200 OK (closes)\nContent-Length: 0",
			differs: "the response says that the connection ends; it ends with both",
			handler: func(w http.ResponseWriter, r *http.Request) {
				http.NewResponseController(w).EnableFullDuplex()
			}},
		{name: "full duplex: the body can be read after the response began", say: post(sized(20<<10), xs(20<<10)),
			want: "20480 no error",
			handler: func(w http.ResponseWriter, r *http.Request) {
				http.NewResponseController(w).EnableFullDuplex()
				w.Header().Set("Content-Type", "text/plain")
				w.(http.Flusher).Flush()
				b, err := io.ReadAll(r.Body)
				fmt.Fprint(w, len(b), " ", plain(err))
			}},
		{name: "without full duplex a flush takes the body away", say: post(sized(20<<10), xs(20<<10)),
			want: "read after close",
			handler: func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/plain")
				w.(http.Flusher).Flush()
				b, err := io.ReadAll(r.Body)
				fmt.Fprint(w, len(b), " ", plain(err))
			}},
		{name: "a small write leaves the body to be read", say: post(sized(5), "hello"), want: "hi hello",
			handler: func(w http.ResponseWriter, r *http.Request) {
				io.WriteString(w, "hi ")
				b, _ := io.ReadAll(r.Body)
				w.Write(b)
			}},
		{name: "reading in one goroutine, writing in another", want: "response to request", play: func(s *scene) {
			s.serveFunc(func(w http.ResponseWriter, r *http.Request) {
				read := make(chan []byte, 1)
				var both sync.WaitGroup
				both.Go(func() { b, _ := io.ReadAll(r.Body); read <- b })
				both.Go(func() { fmt.Fprintf(w, "response to %s", <-read) })
				both.Wait()
			})
			p := s.dial()
			p.say(post("Expect: 100-continue\r\n"+sized(7), ""))
			p.hear("POST")
			p.say("request")
			p.hear("POST")
		}},
		{name: "copying to the response while the body is read", want: "3145728 <nil>", play: func(s *scene) {
			s.serveFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/plain")
				in, out := io.Pipe()
				done := make(chan bool)
				go func() { io.Copy(w, in); close(done) }()
				n, err := io.Copy(io.Discard, r.Body)
				fmt.Fprint(out, n, " ", err)
				out.Close()
				<-done
			})
			p := s.dial()
			go p.say(post(sized(3<<20), xs(3<<20)))
			p.hear("POST")
		}},
		{name: "a goroutine that reads on when the handler has returned", want: "failed: true", play: func(s *scene) {
			failed := make(chan bool, 1)
			s.serveFunc(func(w http.ResponseWriter, r *http.Request) {
				reading := make(chan bool)
				go func() {
					close(reading)
					_, err := io.ReadAll(r.Body)
					failed <- err != nil
				}()
				<-reading
			})
			p := s.dial()
			p.say(post("Connection: close\r\n"+sized(100_000), ""))
			p.finish()
			s.notef("failed: %v", await(s, failed))
		}},
		{name: "the body goes on as another request's", want: "passed on: 20480", play: func(s *scene) {
			c := s.client()
			s.serveFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/behind" {
					n, _ := io.Copy(io.Discard, r.Body)
					fmt.Fprint(w, n)
					return
				}
				res, err := c.Post("http://"+s.addr+"/behind", "text/plain", r.Body)
				if err != nil {
					fmt.Fprint(w, err)
					return
				}
				defer res.Body.Close()
				b, _ := io.ReadAll(res.Body)
				fmt.Fprintf(w, "passed on: %s", b)
			})
			p := s.dial()
			p.say(post(sized(20<<10), xs(20<<10)))
			p.hear("POST")
		}},
		{name: "a response while the body still goes on as another request's", want: "502 Bad Gateway",
			play: func(s *scene) {
				c := s.client()
				s.serveFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.URL.Path == "/behind" {
						panic(http.ErrAbortHandler)
					}
					if res, err := c.Post("http://"+s.addr+"/behind", "text/plain", r.Body); err == nil {
						res.Body.Close()
					}
					w.WriteHeader(502)
				})
				p := s.dial()
				go p.say(post("Connection: close\r\n"+sized(5<<20), xs(5<<20)))
				p.hearStatus("POST")
			}},
		{name: "closing the body twice at once", say: post(sized(20<<10), xs(20<<10)), want: "200 OK",
			handler: func(w http.ResponseWriter, r *http.Request) {
				var both sync.WaitGroup
				both.Go(func() { r.Body.Close() })
				both.Go(func() { r.Body.Close() })
				both.Wait()
			}},
	}
}
