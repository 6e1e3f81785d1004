package clients

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
)

// backend is behind a ReverseProxy.
func backend(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/echo":
		w.Header().Set("Trailer", "X-End")
		w.Header().Set("Connection", "X-Hop")
		w.Header().Set("X-Hop", "not to be seen")
		n, _ := io.Copy(w, r.Body)
		w.Header().Set("X-End", fmt.Sprint(n))
	case "/flush":
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: one\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done() // which the client's leaving ends
	case "/cut":
		w.Header().Set("Content-Length", "100")
		fmt.Fprint(w, "half")
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	case "/none":
		panic(http.ErrAbortHandler)
	case "/upgrade":
		nc, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer nc.Close()
		io.WriteString(nc, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
		line, _ := rw.ReadString('\n')
		io.WriteString(nc, strings.ToUpper(line))
	default:
		fmt.Fprint(w, r.Method, r.Host, r.URL, r.Header.Get("X-Forwarded-For"), len(r.Header["Te"]), r.Header.Get("Accept-Encoding"))
	}
}

// Client and service see the same before and behind a ReverseProxy on our Transport.
func TestReverseProxy(t *testing.T) {
	overBoth(t, func(t *testing.T, rt carrier) (seen []string) {
		to, _ := url.Parse(rt.serve(t, backend))
		front := httptest.NewServer(&httputil.ReverseProxy{
			Rewrite:  func(r *httputil.ProxyRequest) { r.SetURL(to); r.SetXForwarded(); r.Out.Host = "back.test" },
			ErrorLog: log.New(io.Discard, "", 0), Transport: rt, FlushInterval: -1,
		})
		defer front.Close()
		c := &http.Client{Transport: &http.Transport{DisableCompression: true}}
		defer c.CloseIdleConnections()
		note := func(resp *http.Response, body string) {
			seen = append(seen, fmt.Sprint(resp.StatusCode, body, resp.Trailer, resp.Header["X-Hop"], resp.ContentLength))
		}
		note(ask(t, c, "GET", front.URL+"/a%2Fb?c", nil))
		note(ask(t, c, "POST", front.URL+"/echo", io.MultiReader(strings.NewReader(strings.Repeat("body ", 10)))))
		note(ask(t, c, "HEAD", front.URL+"/", nil))
		note(ask(t, c, "DELETE", front.URL+"/", nil, "Te", "trailers", "Accept-Encoding", "gzip"))
		note(ask(t, c, "GET", front.URL+"/none", nil))
		resp, err := c.Get(front.URL + "/cut")
		check(t, err)
		b, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		seen = append(seen, fmt.Sprint(resp.StatusCode, string(b), err != nil))
		resp, err = c.Get(front.URL + "/flush")
		check(t, err)
		line, err := bufio.NewReader(resp.Body).ReadString('\n')
		seen = append(seen, fmt.Sprint(line, err))
		resp.Body.Close()
		if rt.v != http2 { // which knows no Upgrade
			seen = append(seen, upgrade(t, front.Listener.Addr().String()))
		}
		return seen
	})
}

// upgrade changes the protocol through the proxy, and returns what is said in the new one.
func upgrade(t *testing.T, addr string) string {
	nc, err := net.Dial("tcp", addr)
	check(t, err)
	defer nc.Close()
	io.WriteString(nc, "GET /upgrade HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
	r := bufio.NewReader(nc)
	resp, err := http.ReadResponse(r, nil)
	check(t, err)
	io.WriteString(nc, "hello\n")
	rest, err := io.ReadAll(r)
	return fmt.Sprint(resp.StatusCode, resp.Header["Upgrade"], string(rest), err)
}
