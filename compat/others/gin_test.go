package others

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"

	"github.com/shockwave-go/shockwave/compat/internal/both"
)

func ginEngine() *gin.Engine {
	gin.SetMode(gin.ReleaseMode)
	e := gin.New()
	e.Use(gin.CustomRecoveryWithWriter(io.Discard, func(c *gin.Context, err any) {
		c.String(http.StatusInternalServerError, "recovered from %v", err)
	}))
	e.HandleMethodNotAllowed = true
	e.GET("/items/:id", func(c *gin.Context) { c.JSON(http.StatusOK, gin.H{"id": c.Param("id"), "q": c.Query("q")}) })
	e.POST("/bind", func(c *gin.Context) {
		var in struct {
			Name string `json:"name" form:"name" binding:"required"`
		}
		if err := c.ShouldBind(&in); err != nil {
			c.AbortWithStatusJSON(http.StatusBadRequest, gin.H{"error": err.Error()})
			return
		}
		c.XML(http.StatusCreated, gin.H{"name": in.Name})
	})
	e.GET("/stream", func(c *gin.Context) {
		step := 0
		c.Stream(func(w io.Writer) bool {
			c.SSEvent("step", step)
			step++
			return step < 3
		})
	})
	e.GET("/hijack", func(c *gin.Context) {
		nc, _, err := c.Writer.Hijack()
		if err != nil {
			panic(err)
		}
		fmt.Fprint(nc, "HTTP/1.1 299 Ours\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
		nc.Close()
	})
	e.GET("/file", func(c *gin.Context) {
		c.DataFromReader(http.StatusOK, 100_000, "text/plain", strings.NewReader(strings.Repeat("x", 100_000)), nil)
	})
	e.GET("/panic", func(*gin.Context) { panic("gin") })
	e.GET("/dir/", func(c *gin.Context) { c.Redirect(http.StatusFound, "/items/1") })
	e.GET("/from", func(c *gin.Context) { c.String(http.StatusOK, "%s %s", c.ClientIP(), c.FullPath()) })
	return e
}

// Handlers of gin behave the same on both servers.
func TestGin(t *testing.T) {
	t.Parallel()
	requests := []both.Request{
		both.Get(200, "/items/7?q=a%20b"),
		both.Get(404, "/none"),
		both.Send(405, "DELETE", "/items/7"),
		both.Post(201, "/bind", `{"name":"n"}`, "Content-Type", "application/json"),
		both.Post(201, "/bind", "name=n", "Content-Type", "application/x-www-form-urlencoded"),
		both.Post(400, "/bind", "{", "Content-Type", "application/json"),
		both.Get(200, "/stream"),
		both.Get(200, "/file"),
		both.Get(500, "/panic"),
		both.Get(301, "/dir"),
		both.Get(302, "/dir/"),
		both.Get(200, "/from", "X-Forwarded-For", "10.9.8.7"),
	}
	if !both.OverHTTP2() { // where no connection is taken over
		requests = append(requests, both.Get(299, "/hijack"))
	}
	both.Same(t, ginEngine(), requests)
}
