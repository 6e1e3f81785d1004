package behaviour

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing/fstest"
	"time"
)

// when is the time that all files of the rows were changed.
var when = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// tree makes a directory with the files of the rows.
func tree(s *scene) string {
	root := s.t.TempDir()
	for name, text := range map[string]string{
		"file": "0123456789\n", "style.css": "p {}", "page.html": "<html>a page", "empty": "", "large": xs(300_000),
		"dir/index.html": "the index", "dir/a.txt": "a", "list/b.txt": "b", "list/a<b>.txt": "c", "list/A.txt": "A",
	} {
		path := filepath.Join(root, filepath.FromSlash(name))
		os.MkdirAll(filepath.Dir(path), 0o755)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			s.t.Fatal(err)
		}
		os.Chtimes(path, when, when)
		os.Chtimes(filepath.Dir(path), when, when)
	}
	return root
}

// file is a row about the responses of a FileServer; fields are the request's, in turn names and values.
func file(name, method, path, want string, fields ...string) row {
	return row{name: name, want: want, play: func(s *scene) {
		s.serve(http.FileServer(http.Dir(tree(s))))
		s.fetch(s.client(), method, path, nil, fields...)
	}}
}

func fileRows() []row { return append(append(fileServerRows(), rangeRows()...), contentRows()...) }

func fileServerRows() (rows []row) {
	for _, method := range []string{"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"} {
		rows = append(rows, file("a file by "+method, method, "/file", "Content-Length: 11"))
	}
	at := when.Format(http.TimeFormat)
	return append(rows,
		file("its type by its name", "GET", "/style.css", "Content-Type: text/css; charset=utf-8"),
		file("a large file", "GET", "/large", "300000 bytes"),
		file("an empty file", "GET", "/empty", "Content-Length: 0"),
		file("no such file", "GET", "/none", "404 Not Found"),
		file("a file below a file", "GET", "/file/more", "404 Not Found"),
		file("a path that leaves the tree", "GET", "/../../etc/passwd", "404 Not Found"),
		file("a path that leaves the tree and comes back", "GET", "/../file", "0123456789"),
		file("a path with a detour", "GET", "/dir/../file", "0123456789"),
		file("a path with two slashes", "GET", "/dir//a.txt", "Content-Length: 1\n"),
		file("a name with NUL", "GET", "/fi%00le", "404 Not Found"),
		file("a file with a slash", "GET", "/file/", "Location: ../file"),
		file("a directory without a slash", "GET", "/dir", "Location: dir/"),
		file("a directory's index", "GET", "/dir/", "the index"),
		file("an index by its name", "GET", "/dir/index.html", "Location: ./"),
		file("a directory's list", "GET", "/list/", "a&lt;b&gt;.txt"),
		file("If-Modified-Since: not changed", "GET", "/file", "304 Not Modified", "If-Modified-Since", at),
		file("If-Modified-Since: changed", "GET", "/file", "200 OK", "If-Modified-Since",
			when.Add(-time.Hour).Format(http.TimeFormat)),
		file("If-Unmodified-Since: changed", "GET", "/file", "412 Precondition Failed", "If-Unmodified-Since",
			when.Add(-time.Hour).Format(http.TimeFormat)),
		file("a directory that was not changed", "GET", "/dir/", "304 Not Modified", "If-Modified-Since", at),
		row{name: "FileServerFS", want: "from memory", play: func(s *scene) {
			s.serve(http.FileServerFS(fstest.MapFS{"a.txt": {Data: []byte("from memory"), ModTime: when}}))
			c := s.client()
			s.fetch(c, "GET", "/a.txt", nil)
			s.fetch(c, "GET", "/", nil)
			s.fetch(c, "GET", "/b.txt", nil)
		}},
		row{name: "a file system that fails", want: "500 Internal Server Error", play: func(s *scene) {
			s.serve(http.FileServer(brokenFS{}))
			s.fetch(s.client(), "GET", "/file", nil)
		}},
		row{name: "a file that may not be read", want: "403 Forbidden", play: func(s *scene) {
			s.serve(http.FileServer(brokenFS{fs.ErrPermission}))
			s.fetch(s.client(), "GET", "/file", nil)
		}},
		row{name: "ServeFile", want: "0123456789", play: func(s *scene) {
			root := tree(s)
			s.serveFunc(func(w http.ResponseWriter,
				r *http.Request) {
				http.ServeFile(w, r, filepath.Join(root, "file"))
			})
			s.fetch(s.client(), "GET", "/any", nil)
		}},
		row{name: "ServeFile refuses ..", want: "400 Bad Request", play: func(s *scene) {
			root := tree(s)
			s.serveFunc(func(w http.ResponseWriter,
				r *http.Request) {
				http.ServeFile(w, r, filepath.Join(root, "file"))
			})
			p := s.dial()
			p.say("GET /a/../b HTTP/1.1\r\nHost: a\r\n\r\n")
			p.hear("GET")
		}},
		row{name: "ServeFile with a Content-Encoding", want: "Content-Encoding: foo", play: func(s *scene) {
			root := tree(s)
			s.serveFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Encoding", "foo")
				http.ServeFile(w, r, filepath.Join(root, "file"))
			})
			s.fetch(s.client(), "GET", "/", nil)
		}},
		row{name: "ServeFileFS", want: "<html>", play: func(s *scene) {
			s.serveFunc(func(w http.ResponseWriter, r *http.Request) {
				http.ServeFileFS(w, r, fstest.MapFS{"p": {Data: []byte("<html>")}}, "p")
			})
			s.fetch(s.client(), "GET", "/", nil)
		}},
		row{name: "a file copied by the handler", want: "299990 bytes", play: func(s *scene) {
			root, copied := tree(s), make(chan string, 1)
			s.serveFunc(func(w http.ResponseWriter, r *http.Request) {
				f, err := os.Open(filepath.Join(root, "large"))
				if err != nil {
					panic(err)
				}
				defer f.Close()
				f.Seek(10, io.SeekStart)
				w.Header().Set("Content-Length", "299990")
				n, err := io.Copy(w, f)
				copied <- fmt.Sprint(n, " ", err)
			})
			s.fetch(s.client(), "GET", "/", nil)
			s.notef("%s", await(s, copied))
		}},
	)
}

// brokenFS fails to open.
type brokenFS struct{ err error }

// Open implements http.FileSystem.
func (b brokenFS) Open(string) (http.File, error) {
	if b.err != nil {
		return nil, b.err
	}
	return nil, errors.New("broken")
}

func rangeRows() (rows []row) {
	for _, r := range []struct{ spec, want string }{
		{"bytes=0-4", "206 Partial Content"},
		{"bytes=2-", "23456789"},
		{"bytes=-5", "6789"},
		{"bytes=3-7", "Content-Range: bytes 3-7/11"},
		{"bytes=0-0", "| \"0\""},
		{"bytes=0-100", "Content-Range: bytes 0-10/11"},
		{"bytes=20-", "416 Requested Range Not Satisfiable"},
		{"bytes=--6", "416 Requested Range Not Satisfiable"},
		{"bytes=-6-", "416 Requested Range Not Satisfiable"},
		{"bytes=-0", "206 Partial Content"},
		{"bytes=", "200 OK"},
		{"bytes=5-2", "416 Requested Range Not Satisfiable"},
		{"other=1-2", "416 Requested Range Not Satisfiable"},
	} {
		rows = append(rows, file("range "+r.spec, "GET", "/file", r.want, "Range", r.spec))
	}
	boundary := regexp.MustCompile(`[0-9a-f]{60}`)
	return append(rows,
		file("range of a HEAD", "HEAD", "/file", "206 Partial Content", "Range", "bytes=0-4"),
		row{name: "several ranges", want: "multipart/byteranges", play: func(s *scene) {
			s.serve(http.FileServer(http.Dir(tree(s))))
			req, _ := http.NewRequest("GET", "http://"+s.addr+"/file", nil)
			req.Header.Set("Range", "bytes=0-0,-2")
			res, err := s.client().Do(req)
			if err != nil {
				s.t.Fatal(err)
			}
			defer res.Body.Close()
			b, err := io.ReadAll(res.Body)
			s.notef("%s",
				boundary.ReplaceAllString(fmt.Sprintf("%s%s\n%q %v", res.Status, fieldLines(res.Header), b,
					err), "B"))
		}},
		row{name: "a large range of a large file", want: "Content-Range: bytes 1000-250000/300000",
			play: func(s *scene) {
				s.serve(http.FileServer(http.Dir(tree(s))))
				s.fetch(s.client(), "GET", "/large", nil, "Range", "bytes=1000-250000")
			}},
	)
}

// contentRows are about http.ServeContent with validators of the handler.
func contentRows() (rows []row) {
	for _, c := range []struct {
		name, want string
		fields     []string
	}{
		{"If-None-Match that fits", "304 Not Modified", []string{"If-None-Match", `"v1"`}},
		{"If-None-Match in a list", "304 Not Modified", []string{"If-None-Match", `"x", "v1"`}},
		{"If-None-Match *", "304 Not Modified", []string{"If-None-Match", "*"}},
		{"If-None-Match, weak", "304 Not Modified", []string{"If-None-Match", `W/"v1"`}},
		{"If-None-Match that does not fit", "200 OK", []string{"If-None-Match", `"x"`}},
		{"If-Match that fits", "200 OK", []string{"If-Match", `"v1"`}},
		{"If-Match that does not fit", "412 Precondition Failed", []string{"If-Match", `"x"`}},
		{"If-Match, weak", "412 Precondition Failed", []string{"If-Match", `W/"v1"`}},
		{"If-Range that fits", "206 Partial Content", []string{"Range", "bytes=0-4", "If-Range", `"v1"`}},
		{"If-Range that does not fit", "200 OK", []string{"Range", "bytes=0-4", "If-Range", `"x"`}},
		{"If-Range with the time", "206 Partial Content",
			[]string{"Range", "bytes=0-4", "If-Range", when.Format(http.TimeFormat)}},
	} {
		rows = append(rows, row{name: c.name, want: c.want, play: func(s *scene) {
			s.serveFunc(serveContent)
			s.fetch(s.client(), "GET", "/", nil, c.fields...)
		}})
	}
	return append(rows,
		row{name: "content that ends too early", want: "500 Internal Server Error", play: func(s *scene) {
			s.serveFunc(func(w http.ResponseWriter,
				r *http.Request) {
				http.ServeContent(w, r, "", when, brokenSeeker{})
			})
			s.fetch(s.client(), "GET", "/", nil)
		}},
		row{name: "an error takes the content's fields away", want: "416 Requested Range Not Satisfiable",
			play: func(s *scene) {
				s.serveFunc(func(w http.ResponseWriter, r *http.Request) {
					for _, name := range []string{"Etag", "Last-Modified", "Cache-Control", "Content-Encoding",
						"X-Other"} {
						w.Header().Set(name, `"v"`)
					}
					http.ServeContent(w, r, "a.txt", when, strings.NewReader("some content"))
				})
				s.fetch(s.client(), "GET", "/", nil, "Range", "bytes=100-120")
			}},
		reply("content without a time", "200 OK\nAccept-Ranges: bytes\nContent-Length: 5",
			func(w http.ResponseWriter, r *http.Request) {
				http.ServeContent(w, r, "a.txt", time.Time{}, strings.NewReader("hello"))
			}),
		row{name: "a range of empty content", want: "200 OK", play: func(s *scene) {
			s.serveFunc(func(w http.ResponseWriter, r *http.Request) {
				http.ServeContent(w, r, "a.txt", when, bytes.NewReader(nil))
			})
			s.fetch(s.client(), "GET", "/", nil, "Range", "bytes=0-")
		}},
	)
}

func serveContent(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Etag", `"v1"`)
	http.ServeContent(w, r, "a.txt", when, strings.NewReader("some content"))
}

// brokenSeeker is a Seeker that cannot return its length.
type brokenSeeker struct{}

// Read implements io.Reader.
func (brokenSeeker) Read([]byte) (int, error) { return 0, io.EOF }

// Seek implements io.Seeker.
func (brokenSeeker) Seek(int64, int) (int64, error) { return 0, errors.New("cannot seek") }
