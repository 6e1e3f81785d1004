package keep

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"strconv"

	"github.com/shockwave-go/shockwave/nethttp"
)

// servingVariable is set in the environment of the process that serves.
const servingVariable = "KEEP_SERVE"

// beFlatServer serves large bodies until its standard input ends. It prints its address, and gives memory back to the
// system whenever it reads a line, which it then repeats.
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
	for {
		var line string
		if _, err := fmt.Scanln(&line); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		debug.FreeOSMemory()
		fmt.Println(line)
	}
}

// countParts reads a multipart body part by part and answers how many bytes they had.
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

// countFormFiles lets net/http put the files of a form on the disk, and answers how many bytes they have there.
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

// countBytes answers how many bytes the body had.
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
