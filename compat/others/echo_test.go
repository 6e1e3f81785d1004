package others

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"

	"github.com/shockwave-go/shockwave/compat/internal/both"
)

func echoServer() *echo.Echo {
	e := echo.New()
	e.Logger.SetOutput(io.Discard)
	e.Use(middleware.Recover(), middleware.GzipWithConfig(middleware.GzipConfig{MinLength: 100}), middleware.BodyLimit("1K"),
		middleware.Secure(), middleware.CORS())
	e.GET("/items/:id", func(c echo.Context) error {
		return c.JSON(http.StatusOK, map[string]string{"id": c.Param("id"), "q": c.QueryParam("q")})
	})
	e.POST("/bind", func(c echo.Context) error {
		var in struct {
			Name string `json:"name" form:"name"`
		}
		if err := c.Bind(&in); err != nil {
			return err
		}
		return c.String(http.StatusCreated, in.Name)
	})
	e.GET("/stream", func(c echo.Context) error {
		for i := range 100 {
			fmt.Fprintf(c.Response(), "data: %d\n\n", i)
			c.Response().Flush()
		}
		return nil
	})
	e.GET("/error", func(echo.Context) error { return errors.New("of the handler") })
	e.GET("/panic", func(echo.Context) error { panic("echo") })
	e.GET("/none", func(c echo.Context) error { return c.NoContent(http.StatusNoContent) })
	return e
}

// Handlers of echo behave the same on both servers.
func TestEcho(t *testing.T) {
	t.Parallel()
	long := make([]byte, 3000)
	both.Same(t, echoServer(), []both.Request{
		both.Get(200, "/items/a%2Fb?q=1"),
		both.Get(404, "/nowhere"),
		both.Send(405, "DELETE", "/items/7"),
		both.Post(201, "/bind", `{"name":"n"}`, "Content-Type", "application/json"),
		both.Post(201, "/bind", "name=n", "Content-Type", "application/x-www-form-urlencoded"),
		both.Post(415, "/bind", "x", "Content-Type", "image/png"),
		both.Post(413, "/bind", string(long), "Content-Type", "application/json"),
		both.Get(200, "/stream"),
		both.Get(200, "/stream", "Accept-Encoding", "gzip"),
		both.Get(500, "/error"),
		both.Get(500, "/panic"),
		both.Get(204, "/none"),
		both.Get(200, "/items/1", "Origin", "https://a.example"),
	})
}
