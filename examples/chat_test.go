//go:build unix

package examples_test

import (
	"context"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/websocket"
)

// guest is somebody in the chat's room.
type guest struct {
	t    *testing.T
	conn *websocket.Conn
}

// enter has somebody enter the room.
func (p *program) enter(name string) *guest {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), patience)
	defer cancel()
	c, _, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(p.url, "http")+"/room?name="+name, websocket.Config{})
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { c.CloseNow() })
	return &guest{p.t, c}
}

// hears wants these messages next.
func (g *guest) hears(wants ...string) {
	g.t.Helper()
	ctx, cancel := context.WithTimeout(g.t.Context(), patience)
	defer cancel()
	for _, want := range wants {
		if kind, p, err := g.conn.ReadMessageContext(ctx); kind != websocket.TextMessage || string(p) != want {
			g.t.Fatalf("heard %v %q, %v; want %q", kind, p, err, want)
		}
	}
}

func (g *guest) says(text string) {
	g.t.Helper()
	if err := g.conn.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
		g.t.Fatal(err)
	}
}

func TestChat(t *testing.T) {
	p := start(t, "chat")
	if resp, body := p.get("/"); resp.StatusCode != 200 || !strings.Contains(body, "new WebSocket") {
		t.Errorf("GET /: %s", resp.Status)
	} else if _, script, _ := strings.Cut(body, "<script>\n"); strings.Count(script[:strings.Index(script, "</script>")], "\n") > 30 {
		t.Error("the page has more than 30 lines of script")
	}
	if resp, _ := p.get("/room"); resp.StatusCode != 400 {
		t.Errorf("GET /room without a name: %s, want 400", resp.Status)
	}
	ann := p.enter("Ann")
	ann.hears("Ann has come")
	bob := p.enter("Bob")
	bob.hears("Bob has come")
	ann.hears("Bob has come")
	ann.says("hello")
	ann.hears("Ann: hello")
	bob.hears("Ann: hello")
	bob.conn.Close(websocket.CloseNormal, "")
	ann.hears("Bob has left")

	left := make(chan error, 1)
	go func() {
		_, _, err := ann.conn.ReadMessage()
		left <- err
	}()
	p.interrupt(true)
	if err := <-left; websocket.CloseStatus(err) != websocket.CloseGoingAway {
		t.Errorf("at the end Ann was told %v, want 1001", err)
	}
}
