package keep

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"strconv"

	"github.com/shockwave-go/shockwave/nethttp"
)

// servingVariable is set in the environment of a flatProcess, and says what it is.
const servingVariable = "KEEP_SERVE"

// beFlat is what servingVariable says until its standard input ends. For each line it prints one: to collect, it gives memory back to
// the system and repeats the line; all others are orders of what it is.
func beFlat(what string) error {
	obey := func(string) string { return "no such order" }
	var err error
	switch what {
	case "http1":
		err = beFlatServer()
	case "http3":
		err = beFlatServer3()
	case "client3":
		obey, err = beFlatClient3(), nil
	}
	if err != nil {
		return err
	}
	orders := bufio.NewScanner(os.Stdin)
	for orders.Scan() {
		said := orders.Text()
		if said == "collect" {
			debug.FreeOSMemory()
		} else {
			said = obey(said)
		}
		fmt.Println(said)
	}
	return orders.Err()
}

// beFlatServer serves large bodies over HTTP/1.1, and prints its address.
func beFlatServer() error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /parts", countParts)
	mux.HandleFunc("POST /form", countFormFiles)
	mux.HandleFunc("POST /copy", countBytes)
	mux.HandleFunc("GET /large/{bytes}", sendLarge)
	go nethttp.Serve(l, mux)
	fmt.Println(l.Addr())
	return nil
}

// countParts reads a multipart body part by part and responds with their number of bytes.
func countParts(w http.ResponseWriter, r *http.Request) {
	parts, err := r.MultipartReader()
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var sum int64
	for {
		p, err := parts.NextPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		n, err := io.Copy(io.Discard, p)
		if sum += n; err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
	}
	fmt.Fprint(w, sum)
}

// countFormFiles lets net/http put the files of a form on the disk, and responds with their number of bytes there.
func countFormFiles(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseMultipartForm(1 << 20); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var sum int64
	for _, file := range r.MultipartForm.File["file"] {
		f, err := file.Open()
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		if _, onDisk := f.(*os.File); onDisk {
			n, _ := io.Copy(io.Discard, f)
			sum += n
		}
		f.Close()
	}
	fmt.Fprint(w, sum)
}

// countBytes responds with the number of bytes of the body.
func countBytes(w http.ResponseWriter, r *http.Request) {
	n, err := io.Copy(io.Discard, r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	fmt.Fprint(w, n)
}

// sendLarge streams as many bytes as the path says.
func sendLarge(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.ParseInt(r.PathValue("bytes"), 10, 64)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	io.CopyN(w, zeros{}, n)
}

// zeros reads as zeros for ever.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
