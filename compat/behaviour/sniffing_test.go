package behaviour

import (
	"io"
	"net/http"
	"strings"
)

func sniffRows() []row {
	rows := []row{
		reply("a type that the handler sets", "Content-Type: some/type",
			func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "some/type")
				io.WriteString(w, "<html>")
			}),
		reply("a type that the handler sets to nothing", "Content-Type: \n",
			func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "")
				io.WriteString(w, "<html>")
			}),
		reply("no type if the handler wants none", "200 OK\nContent-Length: 6\n|",
			func(w http.ResponseWriter, r *http.Request) {
				w.Header()["Content-Type"] = nil
				io.WriteString(w, "<html>")
			}),
		reply("a type set after the first write", "text/html", func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, "<html>")
			w.Header().Set("Content-Type", "x/wrong")
		}),
		reply("the first write decides", "text/html", func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, "<html>")
			io.WriteString(w, "\x00\x00")
		}),
		reply("the first write is cut", "text/", func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, "<ht")
			io.WriteString(w, "ml>")
		}),
		reply("ReadFrom", "text/html", func(w http.ResponseWriter, r *http.Request) {
			w.(io.ReaderFrom).ReadFrom(strings.NewReader("<html><head></head></html>"))
		}),
		reply("Copy from a reader that gives single bytes", "text/html",
			func(w http.ResponseWriter, r *http.Request) {
				io.Copy(w, struct{ io.Reader }{oneByte{strings.NewReader("<!doctype html>")}})
			}),
		reply("a write, then ReadFrom", "text/html", func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, "<html>")
			w.(io.ReaderFrom).ReadFrom(strings.NewReader(xs(5000)))
		}),
		reply("an empty body has no type", "200 OK\nContent-Length: 0\n2",
			func(w http.ResponseWriter, r *http.Request) { w.Write(nil) }),
		reply("a flush before the body leaves none", "200 OK (chunked)\n| ",
			func(w http.ResponseWriter, r *http.Request) {
				w.(http.Flusher).Flush()
				io.WriteString(w, "<html>")
			}),
		reply("a coded body is not looked at", "Content-Encoding: gzip\nContent-Length: 6\n|",
			func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Encoding", "gzip")
				io.WriteString(w, "<html>")
			}),
		reply("a coding nobody knows", "Content-Encoding: foo/bar\nContent-Length: 6\n|",
			func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Encoding", "foo/bar")
				io.WriteString(w, "<html>")
			}),
		reply("an empty Content-Encoding", "Content-Type: audio/mpeg", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "")
			io.WriteString(w, "ID3")
		}),
		reply("nosniff is for browsers", "text/html", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Content-Type-Options", "nosniff")
			io.WriteString(w, "<html>")
		}),
		reply("the type of an error", "text/html", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(500)
			io.WriteString(w, "<html>")
		}),
	}
	return append(rows, kindsOfContent()...)
}

func kindsOfContent() (rows []row) {
	for _, kind := range []struct{ name, body, want string }{
		{"text", "plain", "text/plain; charset=utf-8"},
		{"binary", "\x01\x02\x03", "application/octet-stream"},
		{"HTML behind spaces", "  \n<html>", "text/html; charset=utf-8"},
		{"an HTML comment", "<!-- x -->", "text/html; charset=utf-8"},
		{"HTML in capitals", "<!DOCTYPE HTML>...", "text/html; charset=utf-8"},
		{"almost HTML", "<HtMlBoDy>", "text/plain; charset=utf-8"},
		{"a script", "<script>", "text/html; charset=utf-8"},
		{"WAV", "RIFFb\xb8\x00\x00WAVEfmt ", "audio/wave"},
		{"MP4", "\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom", "video/mp4"},
		{"WebM", "\x1a\x45\xdf\xa3", "video/webm"},
		{"Ogg", "OggS\x00\x02\x00", "application/ogg"},
		{"WASM", "\x00asm\x01\x00", "application/wasm"},
		{"WOFF", "wOFF....", "font/woff"},
		{"RAR", "Rar!\x1a\x07\x00", "application/x-rar-compressed"},
		{"WebP", "RIFF\x00\x00\x00\x00WEBPVP8 ", "image/webp"},
		{"MIDI", "MThd\x00\x00\x00\x06\x00\x01", "audio/midi"},
		{"XML", "<?xml version='1.0'?>", "text/xml; charset=utf-8"},
		{"PDF", "%PDF-1.4", "application/pdf"},
		{"GIF", "GIF89a....", "image/gif"},
		{"PNG", "\x89PNG\r\n\x1a\n", "image/png"},
		{"JPEG", "\xff\xd8\xff", "image/jpeg"},
		{"gzip", "\x1f\x8b\x08", "application/x-gzip"},
		{"zip", "PK\x03\x04", "application/zip"},
		{"UTF-16", "\xfe\xff\x00a", "text/plain; charset=utf-16be"},
		{"512 bytes of text, then binary", xs(512) + "\x00\x01", "text/plain; charset=utf-8"},
		{"binary within 512 bytes", xs(500) + "\x00\x01", "application/octet-stream"},
	} {
		rows = append(rows,
			reply("what is "+kind.name, "Content-Type: "+kind.want, func(w http.ResponseWriter, r *http.Request) {
				io.WriteString(w, kind.body)
			}))
	}
	return rows
}

// oneByte reads single bytes.
type oneByte struct{ r io.Reader }

// Read implements io.Reader.
func (o oneByte) Read(p []byte) (int, error) { return o.r.Read(p[:min(1, len(p))]) }
