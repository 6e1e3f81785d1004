package nethttp_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httputil"
	"net/http/pprof"
	"net/url"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/shockwave-go/shockwave/nethttp"
)

// get sends req and returns the response and its body.
func get(t *testing.T, c *http.Client, req *http.Request) (*http.Response, string) {
	t.Helper()
	res, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(b)
}

func request(t *testing.T, method, url string, body io.Reader, fields ...string) *http.Request {
	t.Helper()
	req, err := http.NewRequest(method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(fields); i += 2 {
		if fields[i] != "" {
			req.Header.Set(fields[i], fields[i+1])
		}
	}
	return req
}

func TestServeMuxPatterns(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /items/{id}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.PathValue("id"), " ", r.Pattern)
	})
	mux.HandleFunc("POST /files/{rest...}", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.PathValue("rest")) })
	mux.HandleFunc("example.test/", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "host") })
	onBoth(t, mux, func(t *testing.T, addr string) {
		c := client(t)
		for _, test := range []struct {
			method, path, host string
			status             int
			want               string
		}{
			{"GET", "/items/7", "", 200, "7 GET /items/{id}"},
			{"GET", "/items/a%2Fb", "", 200, "a/b GET /items/{id}"},
			{"POST", "/files/a/b/c", "", 200, "a/b/c"},
			{"POST", "/items/7", "", 405, "Method Not Allowed\n"},
			{"GET", "/none", "", 404, "404 page not found\n"},
			{"GET", "/none", "example.test", 200, "host"},
		} {
			req := request(t, test.method, "http://"+addr+test.path, nil)
			req.Host = test.host
			res, body := get(t, c, req)
			if res.StatusCode != test.status || body != test.want {
				t.Errorf("%s %s: %d %q, want %d %q", test.method, test.path, res.StatusCode, body, test.status, test.want)
			}
		}
	})
}

func TestTimeoutHandler(t *testing.T) {
	answered, ended := make(chan bool), make(chan error)
	slow := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/fast" {
			io.WriteString(w, "fast")
			return
		}
		<-r.Context().Done()
		<-answered
		_, err := io.WriteString(w, "too late")
		ended <- err
	})
	onBoth(t, http.TimeoutHandler(slow, 20*time.Millisecond, "sorry"), func(t *testing.T, addr string) {
		c := client(t)
		res, body := get(t, c, request(t, "GET", "http://"+addr+"/slow", nil))
		if res.StatusCode != 503 || body != "sorry" {
			t.Errorf("slow: %d %q", res.StatusCode, body)
		}
		answered <- true
		if err := <-ended; !errors.Is(err, http.ErrHandlerTimeout) {
			t.Errorf("late write: %v", err)
		}
	})
	onBoth(t, http.TimeoutHandler(slow, time.Hour, "sorry"), func(t *testing.T, addr string) {
		if _, body := get(t, client(t), request(t, "GET", "http://"+addr+"/fast", nil)); body != "fast" {
			t.Errorf("fast: %q", body)
		}
	})
}

func TestMaxBytesReader(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 10))
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			http.Error(w, "too large", http.StatusRequestEntityTooLarge)
			return
		}
		fmt.Fprint(w, err)
	})
	onBoth(t, h, func(t *testing.T, addr string) {
		p := dial(t, addr)
		p.say("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n0123456789")
		if got := p.answer("POST"); !strings.HasSuffix(got, "<nil>\n") {
			t.Errorf("10 bytes: %s", got)
		}
		p.sayf("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2000000\r\n\r\n%s", strings.Repeat("x", 100_000))
		if got := p.answer("POST"); !strings.Contains(got, "413") || !strings.Contains(got, "(closes)") {
			t.Errorf("2,000,000 bytes: %s", got)
		}
		if got := p.answer("POST"); got != "closed\n" {
			t.Errorf("after too much: %s", got)
		}
	})
}

func TestFileServer(t *testing.T) {
	text := strings.Repeat("0123456789", 10_000)
	when := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	memory := http.FileServerFS(fstest.MapFS{"dir/a.txt": {Data: []byte(text), ModTime: when}})
	root := t.TempDir()
	os.MkdirAll(root+"/dir", 0o755)
	if err := os.WriteFile(root+"/dir/a.txt", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	os.Chtimes(root+"/dir/a.txt", when, when)
	for name, h := range map[string]http.Handler{"memory": memory, "disk": http.FileServer(http.Dir(root))} {
		t.Run(name, func(t *testing.T) {
			onBoth(t, h, func(t *testing.T, addr string) {
				c := client(t)
				for _, test := range []struct {
					method, field, value string
					status               int
					want, rangeOf        string
				}{
					{"GET", "", "", 200, text, ""},
					{"HEAD", "", "", 200, "", ""},
					{"GET", "Range", "bytes=10-14", 206, "01234", "bytes 10-14/100000"},
					{"GET", "Range", "bytes=-3", 206, "789", "bytes 99997-99999/100000"},
					{"GET", "Range", "bytes=10-69999", 206, text[10:70_000], "bytes 10-69999/100000"},
					{"GET", "Range", "bytes=200000-", 416, "invalid range: failed to overlap\n", "bytes */100000"},
					{"GET", "If-Modified-Since", when.Format(http.TimeFormat), 304, "", ""},
					{"GET", "If-Unmodified-Since", when.Add(-time.Hour).Format(http.TimeFormat), 412, "", ""},
				} {
					res, body := get(t, c, request(t, test.method, "http://"+addr+"/dir/a.txt", nil, test.field, test.value))
					if res.StatusCode != test.status || body != test.want || res.Header.Get("Content-Range") != test.rangeOf {
						t.Errorf("%s %s %s: %d %q, %d bytes", test.method, test.field, test.value, res.StatusCode, res.Header.Get("Content-Range"), len(body))
					}
					if test.status == 200 && res.ContentLength != int64(len(text)) {
						t.Errorf("%s: length %d", test.method, res.ContentLength)
					}
				}
				if _, body := get(t, c, request(t, "GET", "http://"+addr+"/dir/", nil)); !strings.Contains(body, `<a href="a.txt">`) {
					t.Errorf("listing: %q", body)
				}
			})
		})
	}
}

// throughBoth runs test with net/http's Transport and with ours.
func throughBoth(test func(t *testing.T, behind string, tr http.RoundTripper)) func(t *testing.T, behind string) {
	return func(t *testing.T, behind string) {
		t.Run("http.Transport", func(t *testing.T) {
			tr := new(http.Transport)
			defer tr.CloseIdleConnections()
			test(t, behind, tr)
		})
		t.Run("nethttp.Transport", func(t *testing.T) {
			tr := new(nethttp.Transport)
			defer tr.CloseIdleConnections()
			test(t, behind, tr)
		})
	}
}

func TestReverseProxy(t *testing.T) {
	upstream := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		w.Header().Set("Trailer", "X-Sum")
		w.Header().Set("X-From", r.Header.Get("X-Forwarded-For"))
		fmt.Fprintf(w, "%s %s %d bytes %v", r.Method, r.URL, len(b), err)
		w.Header().Set("X-Sum", "sum")
	})
	// Each of the two servers stands behind each of the two.
	onBoth(t, upstream, throughBoth(func(t *testing.T, behind string, tr http.RoundTripper) {
		proxy := &httputil.ReverseProxy{Transport: tr, ErrorLog: quiet(), Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: behind})
			r.SetXForwarded()
		}}
		onBoth(t, proxy, func(t *testing.T, front string) {
			c := client(t)
			for _, n := range []int{0, 5, 100_000} {
				var body io.Reader = strings.NewReader(strings.Repeat("b", n))
				if n == 5 {
					body = io.MultiReader(body) // hides the length: chunked
				}
				res, got := get(t, c, request(t, "POST", "http://"+front+"/p?q=1", body))
				want := fmt.Sprintf("POST /p?q=1 %d bytes <nil>", n)
				if got != want || res.Header.Get("X-From") != "127.0.0.1" || res.Trailer.Get("X-Sum") != "sum" {
					t.Errorf("got %q %v %v, want %q", got, res.Header, res.Trailer, want)
				}
			}
		})
	}))
}

func TestReverseProxyCutsATruncatedAnswer(t *testing.T) {
	upstream := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "100000")
		w.Write(make([]byte, 50_000))
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	})
	onBoth(t, upstream, throughBoth(func(t *testing.T, behind string, tr http.RoundTripper) {
		proxy := &httputil.ReverseProxy{Transport: tr, ErrorLog: quiet(), Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: behind})
		}}
		onBoth(t, proxy, func(t *testing.T, front string) {
			res, err := client(t).Get("http://" + front)
			if err != nil {
				return // cut before the head arrived: also correct
			}
			defer res.Body.Close()
			if n, err := io.Copy(io.Discard, res.Body); err == nil {
				t.Errorf("%d bytes arrived as if they were all", n)
			}
		})
	}))
}

// A reverse proxy passes on a response that the upstream sends before it has read a body larger than any buffer.
func TestReverseProxyPassesAnEarlyAnswerOn(t *testing.T) {
	t.Parallel()
	upstream := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Error(w, "no", http.StatusForbidden) })
	onBoth(t, upstream, throughBoth(func(t *testing.T, behind string, tr http.RoundTripper) {
		proxy := &httputil.ReverseProxy{Transport: tr, ErrorLog: quiet(), Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: behind})
		}}
		onBoth(t, proxy, func(t *testing.T, front string) {
			res, err := client(t).Post("http://"+front, "text/plain", bytes.NewReader(make([]byte, 20<<20)))
			if err != nil {
				if os.IsTimeout(err) {
					t.Error(err)
				}
				return // the connection was closed while the body was on its way: allowed
			}
			defer res.Body.Close()
			if res.StatusCode != 403 && res.StatusCode != 502 {
				t.Errorf("status %d", res.StatusCode)
			}
		})
	}))
}

func TestReverseProxyUpgrade(t *testing.T) {
	upstream := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		nc, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		defer nc.Close()
		rw.WriteString("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
		rw.Flush()
		line, _ := rw.ReadString('\n')
		rw.WriteString("echo " + line)
		rw.Flush()
	})
	onBoth(t, upstream, throughBoth(func(t *testing.T, behind string, tr http.RoundTripper) {
		proxy := &httputil.ReverseProxy{Transport: tr, ErrorLog: quiet(), Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: behind})
		}}
		onBoth(t, proxy, func(t *testing.T, front string) {
			p := dial(t, front)
			p.say("GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
			res, err := http.ReadResponse(p.in, nil)
			if err != nil || res.StatusCode != 101 {
				t.Fatal(res, err)
			}
			p.say("hello\n")
			if line, err := p.in.ReadString('\n'); line != "echo hello\n" {
				t.Errorf("%q %v", line, err)
			}
		})
	}))
}

func TestPprof(t *testing.T) {
	onBoth(t, http.HandlerFunc(pprof.Index), func(t *testing.T, addr string) {
		res, body := get(t, client(t), request(t, "GET", "http://"+addr+"/debug/pprof/goroutine?debug=1", nil))
		if res.StatusCode != 200 || !strings.HasPrefix(body, "goroutine profile:") {
			t.Errorf("%d %.60q", res.StatusCode, body)
		}
	})
}

func TestServerSentEvents(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		rc := http.NewResponseController(w)
		next := make(chan bool)
		defer context.AfterFunc(r.Context(), func() { close(next) })()
		for i := 0; i < 3; i++ {
			fmt.Fprintf(w, "data: %d\n\n", i)
			if err := rc.Flush(); err != nil {
				return
			}
		}
		<-next // the client closes early
	})
	onBoth(t, h, func(t *testing.T, addr string) {
		p := dial(t, addr)
		p.say("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
		res, err := http.ReadResponse(p.in, nil)
		if err != nil {
			t.Fatal(err)
		}
		b := make([]byte, len("data: 0\n\ndata: 1\n\ndata: 2\n\n"))
		if _, err := io.ReadFull(res.Body, b); err != nil || string(b) != "data: 0\n\ndata: 1\n\ndata: 2\n\n" {
			t.Errorf("%q %v", b, err)
		}
		p.Close()
	})
}

func TestMultipartForm(t *testing.T) {
	large := strings.Repeat("large ", 20_000)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseMultipartForm(1000); err != nil {
			http.Error(w, err.Error(), 400)
			return
		}
		f, header, err := r.FormFile("file")
		if err != nil {
			http.Error(w, err.Error(), 400)
			return
		}
		defer f.Close()
		b, _ := io.ReadAll(f)
		w.Header().Set("X-File", f.(*os.File).Name()) // too large for the memory that was allowed
		fmt.Fprint(w, r.FormValue("field"), " ", header.Filename, " ", string(b) == large)
	})
	onBoth(t, h, func(t *testing.T, addr string) {
		var form bytes.Buffer
		m := multipart.NewWriter(&form)
		m.WriteField("field", "value")
		f, _ := m.CreateFormFile("file", "name.txt")
		io.WriteString(f, large)
		m.Close()
		res, body := get(t, client(t), request(t, "POST", "http://"+addr, &form, "Content-Type", m.FormDataContentType()))
		if body != "value name.txt true" {
			t.Fatalf("%q", body)
		}
		for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
			if _, err := os.Stat(res.Header.Get("X-File")); errors.Is(err, os.ErrNotExist) {
				break
			}
			if time.Now().After(deadline) {
				t.Fatal("the temporary file is still there")
			}
		}
	})
}
