package server_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/server"
	"golang.org/x/net/http2"
)

// A response whose head is larger than the client accepts is not sent: its stream is reset, and the handler's write fails.
// Trailers that are too large end the response with a reset, too. Other responses go on (RFC 9113 §10.5.1).
func TestH2SectionTooLargeForTheClient(t *testing.T) {
	errs := make(chan error, 1)
	large := strings.Repeat("x", 300)
	k := start(t, server.Config{Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
		switch string(r.Path()) {
		case "/head":
			w.Header().Set("X-Large", large)
			errs <- w.Flush()
		case "/trailer":
			w.Trailer().Set("X-Large", large)
			w.WriteString("ab")
		default:
			w.WriteString("fine")
		}
	})}).h2(t, http2.Setting{ID: http2.SettingMaxHeaderListSize, Val: 300})
	for id := uint32(1); id < 13; id += 6 {
		k.get(id, "/head")
		if err := <-errs; err == nil || !strings.Contains(err.Error(), "SETTINGS_MAX_HEADER_LIST_SIZE") {
			t.Errorf("the handler's flush returned %v", err)
		}
		k.Want("RST_STREAM " + strconv.Itoa(int(id)) + " INTERNAL_ERROR")
		k.get(id+2, "/trailer")
		k.Want("HEADERS "+strconv.Itoa(int(id+2))+" 200", `DATA `+strconv.Itoa(int(id+2))+` "ab"`, "RST_STREAM "+strconv.Itoa(int(id+2))+" INTERNAL_ERROR")
		k.get(id+4, "/")
		k.Want("HEADERS "+strconv.Itoa(int(id+4))+" 200 content-length=4", `DATA `+strconv.Itoa(int(id+4))+` "fine" END`)
	}
}

// A response that is the last of its connection ends the connection also if its head is too large to be sent.
func TestH2LastSectionTooLargeForTheClient(t *testing.T) {
	k := start(t, server.Config{MaxKeepAliveRequests: 1, Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
		w.Header().Set("X-Large", strings.Repeat("x", 300))
	})}).h2(t, http2.Setting{ID: http2.SettingMaxHeaderListSize, Val: 300})
	k.get(1, "/")
	k.WantAnyOrder("GOAWAY 2147483647 NO_ERROR", "PING 02", "RST_STREAM 1 INTERNAL_ERROR")
}
