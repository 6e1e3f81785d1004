package clitest

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os/exec"
	"regexp"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/websocket"
)

// Tab is a page in Chromium that a test talks to by the browser's protocol for developers.
type Tab struct {
	T      *testing.T
	c      *websocket.Conn
	calls  int
	Faults []string // what the browser has against the page
}

// Browse opens a page in Chromium, which is given flags, too. The test is skipped where there is none.
func Browse(t *testing.T, url string, flags ...string) *Tab {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skip("there is no Chromium on this machine to show the page to")
	}
	cmd := exec.Command(path, append(flags, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
		"--ignore-certificate-errors", "--user-data-dir="+t.TempDir(), "--remote-debugging-port=0", "about:blank")...)
	said, in := io.Pipe()
	cmd.Stderr, cmd.WaitDelay = in, time.Second // for children that hold on to it
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	at, heard := make(chan string, 1), make(chan struct{})
	go func() {
		defer close(heard)
		for lines := bufio.NewScanner(said); lines.Scan(); {
			if m := regexp.MustCompile(`ws://([^/]+)/`).FindStringSubmatch(lines.Text()); m != nil {
				at <- m[1]
				break
			}
		}
		io.Copy(io.Discard, said)
	}()
	t.Cleanup(func() {
		stuck := time.AfterFunc(5*time.Second, func() { cmd.Process.Kill() })
		cmd.Wait() // closing the tab has told it to end
		stuck.Stop()
		in.Close()
		<-heard
	})
	select {
	case host := <-at:
		return openTab(t, host, url)
	case <-time.After(Patience):
		t.Fatal("Chromium does not say where it listens")
		return nil
	}
}

// openTab has the browser that listens at host show url.
func openTab(t *testing.T, host, url string) *Tab {
	t.Helper()
	resp, err := http.Get("http://" + host + "/json")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var pages []struct {
		Type string
		URL  string `json:"webSocketDebuggerUrl"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&pages); err != nil {
		t.Fatal(err)
	}
	for _, p := range pages {
		if p.Type != "page" {
			continue
		}
		ctx, cancel := context.WithTimeout(t.Context(), Patience)
		defer cancel()
		c, _, err := websocket.Dial(ctx, p.URL, websocket.Config{ReadLimit: 16 << 20})
		if err != nil {
			t.Fatal(err)
		}
		b := &Tab{T: t, c: c}
		t.Cleanup(func() {
			c.WriteMessage(websocket.TextMessage, []byte(`{"id":0,"method":"Browser.close"}`))
			c.Close(websocket.CloseNormal, "")
			c.CloseNow()
		})
		for _, domain := range []string{"Runtime", "Log", "Page"} {
			b.call(domain+".enable", nil)
		}
		b.call("Page.navigate", map[string]any{"url": url})
		return b
	}
	t.Fatalf("no page among %+v", pages)
	return nil
}

// call asks the browser to do something, and returns the answer.
func (b *Tab) call(method string, params any) json.RawMessage {
	b.T.Helper()
	b.calls++
	ask, _ := json.Marshal(map[string]any{"id": b.calls, "method": method, "params": params})
	b.c.SetReadDeadline(time.Now().Add(Patience))
	if err := b.c.WriteMessage(websocket.TextMessage, ask); err != nil {
		b.T.Fatal(err)
	}
	for {
		_, said, err := b.c.ReadMessage()
		if err != nil {
			b.T.Fatalf("%s: %v", method, err)
		}
		var m struct {
			ID     int
			Method string
			Result json.RawMessage
		}
		if err := json.Unmarshal(said, &m); err != nil {
			b.T.Fatal(err)
		}
		switch {
		case m.ID == b.calls:
			return m.Result
		case m.Method == "Log.entryAdded", m.Method == "Runtime.exceptionThrown", m.Method == "Runtime.consoleAPICalled":
			b.Faults = append(b.Faults, string(said))
		}
	}
}

// Value is an expression's, which is a string.
func (b *Tab) Value(expression string) string {
	b.T.Helper()
	var answer struct{ Result struct{ Value string } }
	json.Unmarshal(b.call("Runtime.evaluate", map[string]any{"expression": expression}), &answer)
	return answer.Result.Value
}

// WantValue waits until an expression's value is like a pattern.
func (b *Tab) WantValue(expression, pattern string) {
	b.T.Helper()
	like, got := regexp.MustCompile(pattern), ""
	for end := time.Now().Add(Patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if got = b.Value(expression); like.MatchString(got) {
			return
		}
	}
	b.T.Fatalf("%s is %q, want %s; the browser says %q", expression, got, pattern, b.Faults)
}
