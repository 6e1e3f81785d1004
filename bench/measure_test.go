package main

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/bench/internal/h2load"
	"github.com/shockwave-go/shockwave/bench/internal/peer"
	"github.com/shockwave-go/shockwave/bench/internal/process"
	"github.com/shockwave-go/shockwave/bench/internal/result"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

// A short run builds the load generator, starts peers, measures, and adds its figures to those in the file.
func TestAShortRun(t *testing.T) {
	if err := process.CanPin(); err != nil {
		t.Skip(err)
	}
	name := filepath.Join(t.TempDir(), "results.json")
	old := &result.File{Suite: "http1"}
	old.Put(result.Run{Command: "before"}, result.Scenario{Name: "json",
		Samples: []result.Sample{{Round: 1, Peer: peer.Native, Values: result.Values{"cpu_us": 1}}}})
	if err := old.Write(name); err != nil {
		t.Fatal(err)
	}
	out, errors, code := said(t, "http1", "-rounds", "2", "-d", "300ms", "-only", "^plaintext-(1|64)$",
		"-peers", "native,net/http", "-json", name)
	if code != 0 {
		t.Fatalf("exit code %d\n%s\n%s", code, out, errors)
	}
	if !strings.Contains(out, "\n13 bytes, 1 connection\n") || !strings.Contains(out, "CPU µs/request") {
		t.Errorf("there is no table:\n%s", out)
	}
	f, err := result.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, sc := range []string{"plaintext-1", "plaintext-64"} {
		res := f.Find(sc)
		if res == nil || len(res.Samples) != 4 {
			t.Fatalf("%s: kept %+v, want two rounds of two peers", sc, res)
		}
		for i, want := range []string{peer.Native, peer.Std, peer.Std, peer.Native} {
			one := res.Samples[i]
			if one.Peer != want || one.Round != i/2+1 || one.Values["requests"] < 1 || one.Values["rate"] <= 0 {
				t.Errorf("%s: measurement %d is %+v, want one of %s", sc, i, one, want)
			}
		}
		if run := f.Runs[res.Run]; !strings.Contains(run.Command, "-peers native,net/http") || run.Versions["fasthttp"] == "" {
			t.Errorf("%s: the run is %+v", sc, run)
		}
	}
	if kept := f.Find("json"); kept == nil || f.Runs[kept.Run].Command != "before" {
		t.Errorf("json: %+v, want what was there", kept)
	}
}

// A short run measures a load that this program generates itself, and a task without I/O.
func TestAShortRunOfWebSockets(t *testing.T) {
	if err := process.CanPin(); err != nil {
		t.Skip(err)
	}
	name := filepath.Join(t.TempDir(), "results.json")
	out, errors, code := said(t, "websocket", "-rounds", "1", "-d", "100ms", "-only", "^(deflate|memory-read)$",
		"-peers", "callbacks,gws", "-json", name)
	if code != 0 || !strings.Contains(out, "CPU µs/message") || !strings.Contains(out, "ns/message") {
		t.Fatalf("exit code %d\n%s\n%s", code, out, errors)
	}
	f, err := result.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, sc := range []string{"deflate", "memory-read"} {
		res := f.Find(sc)
		if res == nil || len(res.Samples) != 2 || f.Suite != "websocket" {
			t.Fatalf("%s: kept %+v, want one round of two peers", sc, res)
		}
		if versions := f.Runs[res.Run].Versions; versions["gws"] == "" || versions["nginx"] != "" {
			t.Errorf("the versions are %v, want those of this suite's peers", versions)
		}
	}
}

// A short run of HTTP/2 takes its load from h2load, and from this program where waiting must not count.
func TestAShortRunOfHTTP2(t *testing.T) {
	if err := errors.Join(process.CanPin(), h2load.Missing()); err != nil {
		t.Skip(err)
	}
	name := filepath.Join(t.TempDir(), "results.json")
	out, errors, code := said(t, "http2", "-rounds", "1", "-d", "200ms", "-only", "^(get-1x100|neighbours)$",
		"-peers", "net/http", "-json", name)
	if code != 0 || !strings.Contains(out, "CPU µs/request") || !strings.Contains(out, "p99 µs") {
		t.Fatalf("exit code %d\n%s\n%s", code, out, errors)
	}
	f, err := result.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, sc := range []string{"get-1x100", "neighbours"} {
		if res := f.Find(sc); res == nil || len(res.Samples) != 1 || res.Samples[0].Values["requests"] < 10 {
			t.Errorf("%s: kept %+v, want one measurement", sc, res)
		}
	}
}

// Each stack of sockets is measured with itself, and those that are slow to build can be left out.
func TestAShortRunOfSockets(t *testing.T) {
	if err := process.CanPin(); err != nil {
		t.Skip(err)
	}
	name := filepath.Join(t.TempDir(), "results.json")
	out, errors, code := said(t, "sockets", "-rounds", "1", "-d", "50ms", "-only", "^(oneway-1k-ws|echo-tcp)$",
		"-peers", "recv,callbacks,net,gws", "-json", name)
	if code != 0 || !strings.Contains(out, "receiver's CPU µs/message") || !strings.Contains(out, "p50 µs") {
		t.Fatalf("exit code %d\n%s\n%s", code, out, errors)
	}
	f, err := result.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	for sc, want := range map[string]string{"oneway-1k-ws": "recv callbacks gws", "echo-tcp": "recv callbacks net"} {
		res := f.Find(sc)
		var got []string
		for _, one := range res.Samples {
			got = append(got, one.Peer)
			if v := one.Values; v["messages"] < 1 || v["rate"] <= 0 || v["sender_us"] <= 0 || v["receiver_us"] <= 0 {
				t.Errorf("%s: got %+v", sc, one)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: measured %q, want %s", sc, got, want)
		}
	}
}

// A scenario that lacks its program, or measures none of the chosen peers, is skipped with the reason.
func TestScenariosWithoutTheirProgramAreSkipped(t *testing.T) {
	s := &suite.Suite{Scenarios: []suite.Scenario{
		{Name: "a", Peers: []string{peer.Native}},
		{Name: "b", Peers: []string{peer.Native}, Missing: func() error { return errors.New("strace is not installed") }},
		{Name: "c", Peers: []string{peer.Std}},
	}}
	r := &suite.Runner{Peers: []string{peer.Native}, Missing: missing}
	var said strings.Builder
	chosen := choose(s, measureOptions{only: regexp.MustCompile("")}, r, console{err: &said})
	want := "bench: b is skipped: strace is not installed\n" +
		"bench: c is skipped: it measures none of the peers that are asked for\n"
	if len(chosen) != 1 || chosen[0].Name != "a" || said.String() != want {
		t.Errorf("chosen %v, and said %q", chosen, said.String())
	}
}

// The report shows the merged files, names scenarios that are gone, and refuses results of another suite.
func TestReportMergesFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"plaintext-64", "plaintext-512", "gone"} {
		f := &result.File{Suite: "http1"}
		f.Put(result.Run{Command: name}, result.Scenario{Name: name, Samples: []result.Sample{
			{Round: 1, Peer: peer.Native, Values: result.Values{"cpu_us": 4}},
			{Round: 1, Peer: peer.FastHTTP, Values: result.Values{"cpu_us": 5}}}})
		if err := f.Write(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	out, errors, code := said(t, "report", "-json", at("all"), "-from", at("plaintext-64")+","+at("plaintext-512")+","+at("gone"))
	if code != 0 || !strings.Contains(errors, "there is no scenario gone any more") {
		t.Errorf("exit code %d, %q", code, errors)
	}
	for _, want := range []string{"13 bytes, 64 connections", "13 bytes, 512 connections", "floor met    native, 64 connections"} {
		if !strings.Contains(out, want) {
			t.Errorf("the report lacks %q:\n%s", want, out)
		}
	}
	if f, err := result.Read(at("all")); err != nil || len(f.Scenarios) != 3 {
		t.Errorf("merged: %+v, %v; want three scenarios", f, err)
	}
	if err := os.WriteFile(at("other"), []byte(`{"suite":"websocket"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, errors, code := said(t, "report", "-json", at("all"), "-from", at("other")); code != 1 ||
		!strings.Contains(errors, `"websocket"`) {
		t.Errorf("results of another suite: exit code %d, %q", code, errors)
	}
}
