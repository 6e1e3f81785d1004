package keep

import (
	"crypto/sha256"
	"crypto/tls"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"

	peer "github.com/quic-go/quic-go/http3"

	"github.com/shockwave-go/shockwave/http3"
	"github.com/shockwave-go/shockwave/nethttp"
	"github.com/shockwave-go/shockwave/server"
)

// flatBytes3 is flatBytes over HTTP/3, where what is under way to the peer stays in the process, as much as the peer's windows
// allow: 15 MB of quic-go's.
const flatBytes3 = 48 << 20

// largeEnv is how many MB the bodies of TestMemoryStaysFlatOverHTTP3 have; scripts/large sets it.
const largeEnv = "SHOCKWAVE_LARGE"

func largeBytes3() int64 {
	if mb, _ := strconv.Atoi(os.Getenv(largeEnv)); mb > 0 {
		return int64(mb) << 20
	}
	return 64 << 20
}

// Large bodies between our ends and quic-go's arrive whole, in both directions and at once, and our process's memory
// stays flat.
func TestMemoryStaysFlatOverHTTP3(t *testing.T) {
	if testing.Short() {
		t.Skip("moves 500 MB")
	}
	t.Run("server", func(t *testing.T) {
		s := startFlat(t, "http3")
		tr := &peer.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableCompression: true}
		defer tr.Close()
		url := "https://" + s.line(t)
		s.moveLarge(t, func(way string, n int64) string { return moveLarge(tr, url, way, n) })
	})
	t.Run("client", func(t *testing.T) {
		pc, err := net.ListenPacket("udp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer pc.Close()
		theirs := &peer.Server{Handler: large3(), TLSConfig: peer.ConfigureTLSConfig(serverTLS(t))}
		served := make(chan error, 1)
		go func() { served <- theirs.Serve(pc) }()
		defer func() {
			theirs.Close()
			<-served
		}()
		s := startFlat(t, "client3")
		url := "https://" + pc.LocalAddr().String()
		s.moveLarge(t, func(way string, n int64) string { return s.do(t, fmt.Sprint(url, " ", way, " ", n)) })
	})
}

// moveLarge moves bodies by move, which returns how many bytes have arrived and their sum.
func (s *flatProcess) moveLarge(t *testing.T, move func(way string, n int64) string) {
	t.Helper()
	n := largeBytes3()
	want := sumOf(&content3{left: n})
	for _, way := range []string{"down", "up", "both"} {
		move(way, 2<<20)
		before := s.settle(t)
		for i, got := range strings.Split(move(way, n), ", ") {
			if got != want {
				t.Errorf("%s, %d: %s, want %s", way, i, got, want)
			}
		}
		grown := s.peak(t) - before
		t.Logf("%s: memory grew by %d KB from %d KB for bodies of %d MB", way, grown>>10, before>>10, n>>20)
		if grown > flatBytes3 {
			t.Error("the memory grew by more than a few buffers")
		}
	}
}

// beFlatServer3 serves large bodies over HTTP/3, and prints its address.
func beFlatServer3() error {
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	cert, err := server.DevelopmentCertificate()
	if err != nil {
		return err
	}
	s := &nethttp.Server{Handler: large3(), TLSConfig: &tls.Config{Certificates: []tls.Certificate{cert}}}
	go http3.NewServer(s, http3.Config{}).Serve(pc, "", "")
	fmt.Println(pc.LocalAddr())
	return nil
}

// beFlatClient3 moves large bodies by http3.Transport; an order is the server's URL, the way and how many bytes.
func beFlatClient3() (obey func(string) string) {
	tr := &http3.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	return func(order string) string {
		var url, way string
		var n int64
		fmt.Sscan(order, &url, &way, &n)
		return moveLarge(tr, url, way, n)
	}
}

// large3 sends content, and responds with the sum of what is sent to it.
func large3() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /content/{bytes}", func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.ParseInt(r.PathValue("bytes"), 10, 64)
		io.Copy(w, &content3{left: n})
	})
	mux.HandleFunc("POST /sum", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, sumOf(r.Body)) })
	return mux
}

// moveLarge moves n bytes down, up, or both at once, and returns how many have arrived and their sum, of each.
func moveLarge(rt http.RoundTripper, url, way string, n int64) string {
	switch way {
	case "down":
		return ask3(rt, "GET", fmt.Sprint(url, "/content/", n), nil, sumOf)
	case "up":
		return ask3(rt, "POST", url+"/sum", &content3{left: n}, textOf)
	}
	down := make(chan string, 1)
	go func() { down <- moveLarge(rt, url, "down", n) }()
	up := moveLarge(rt, url, "up", n)
	return up + ", " + <-down
}

// ask3 makes a request and returns what read makes of the response.
func ask3(rt http.RoundTripper, method, url string, body io.Reader, read func(io.Reader) string) string {
	req, err := http.NewRequest(method, url, body)
	if err != nil {
		return err.Error()
	}
	res, err := rt.RoundTrip(req)
	if err != nil {
		return err.Error()
	}
	defer res.Body.Close()
	return read(res.Body)
}

func textOf(r io.Reader) string {
	b, err := io.ReadAll(r)
	return string(b) + ending3(err)
}

// sumOf reads r to its end.
func sumOf(r io.Reader) string {
	sum := sha256.New()
	n, err := io.CopyBuffer(struct{ io.Writer }{sum}, struct{ io.Reader }{r}, make([]byte, 64<<10))
	return fmt.Sprintf("%d bytes %x", n, sum.Sum(nil)) + ending3(err)
}

func ending3(err error) string {
	if err == nil {
		return ""
	}
	return " and " + err.Error()
}

// content3 is a reader of so many bytes, which repeat after a prime number of them.
type content3 struct{ at, left int64 }

var random3 = func() []byte {
	b := make([]byte, 1048573)
	rand.NewChaCha8([32]byte{'l', 'a', 'r', 'g', 'e'}).Read(b)
	return b
}()

// Read implements io.Reader.
func (c *content3) Read(p []byte) (int, error) {
	if c.left == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(int64(len(p)), c.left)], random3[c.at%int64(len(random3)):])
	c.at, c.left = c.at+int64(n), c.left-int64(n)
	return n, nil
}
