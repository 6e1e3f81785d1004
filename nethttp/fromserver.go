package nethttp

import "net/http"

// FromServer returns a Server with std's settings. Handlers find std itself under http.ServerContextKey, and what was
// or will be registered with std.RegisterOnShutdown is called by Shutdown. std must not serve, and is not used to
// shut down: call the Server's methods.
//
// TLSNextProto, HTTP2 and Protocols are not looked at; a setting made with std.SetKeepAlivesEnabled cannot be seen.
func FromServer(std *http.Server) *Server {
	return &Server{
		Addr:                         std.Addr,
		Handler:                      std.Handler,
		DisableGeneralOptionsHandler: std.DisableGeneralOptionsHandler,
		TLSConfig:                    std.TLSConfig,
		ReadTimeout:                  std.ReadTimeout,
		ReadHeaderTimeout:            std.ReadHeaderTimeout,
		WriteTimeout:                 std.WriteTimeout,
		IdleTimeout:                  std.IdleTimeout,
		MaxHeaderBytes:               std.MaxHeaderBytes,
		ConnState:                    std.ConnState,
		ErrorLog:                     std.ErrorLog,
		BaseContext:                  std.BaseContext,
		ConnContext:                  std.ConnContext,
		std:                          std,
		given:                        true,
	}
}
