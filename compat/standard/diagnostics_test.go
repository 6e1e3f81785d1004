package standard

import (
	"encoding/json"
	"expvar"
	"net/http"
	"net/http/pprof"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/compat/internal/both"
)

// profiles is the mux that importing net/http/pprof would fill.
func profiles() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return mux
}

// Profiles are of the same kind on both servers, and one that takes longer than the write timeout moves the
// deadline. The process has one CPU profiler and one tracer, so this test is not parallel.
func TestPprof(t *testing.T) {
	both.Compare(t, func() *http.Server {
		return &http.Server{Handler: profiles(), WriteTimeout: 900 * time.Millisecond}
	}, func(t *testing.T, s *both.Site) (all []string) {
		for target, begin := range map[string]string{
			"/debug/pprof/":                  "<html>",
			"/debug/pprof/profile?seconds=1": "\x1f\x8b",
			"/debug/pprof/heap":              "\x1f\x8b",
			"/debug/pprof/goroutine?debug=1": "goroutine profile: total ",
			"/debug/pprof/trace?seconds=0.1": "go 1.",
			"/debug/pprof/cmdline":           "/",
			"/debug/pprof/symbol":            "num_symbols: 1",
		} {
			x := s.Do(t, both.Get(200, target))
			if !strings.HasPrefix(x.Body, begin) {
				t.Errorf("%s begins with %.20q, want %q", target, x.Body, begin)
			}
			all = append(all, target+" "+x.Header.Get("Content-Type")+" "+x.Header.Get("Content-Disposition"))
		}
		s.Do(t, both.Get(404, "/debug/pprof/none"))
		slices.Sort(all)
		return all
	})
}

var answer = expvar.NewInt("compat.answer")

// expvar's handler responds the same on both servers.
func TestExpvar(t *testing.T) {
	t.Parallel()
	answer.Set(42)
	both.Run(t, expvar.Handler(), func(t *testing.T, s *both.Site) {
		x := s.Do(t, both.Get(200, "/debug/vars"))
		var vars struct {
			Answer   int `json:"compat.answer"`
			Memstats struct{ Alloc uint64 }
		}
		if err := json.Unmarshal([]byte(x.Body), &vars); err != nil {
			t.Fatal(err)
		}
		if vars.Answer != 42 || vars.Memstats.Alloc == 0 || x.Header.Get("Content-Type") != "application/json; charset=utf-8" {
			t.Errorf("got %+v as %q", vars, x.Header.Get("Content-Type"))
		}
	})
}
