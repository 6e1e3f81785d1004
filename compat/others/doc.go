// Package others serves routers, middlewares and libraries of other people on both servers, each as it comes.
package others
