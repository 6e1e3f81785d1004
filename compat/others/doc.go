// Package others tests routers, middlewares and libraries of other projects, unchanged, on both servers.
package others
