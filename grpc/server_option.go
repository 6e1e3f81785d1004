package grpc

import (
	"crypto/tls"
	"log/slog"
	"math"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/tap"

	"github.com/shockwave-go/shockwave/grpc/internal/codec"
	"github.com/shockwave-go/shockwave/grpc/internal/servercall"
	"github.com/shockwave-go/shockwave/server"
)

// ServerOption is an option of NewServer.
type ServerOption interface {
	apply(*serverOptions)
}

type serverOption func(*serverOptions)

func (o serverOption) apply(opts *serverOptions) { o(opts) }

// serverOptions is what the options say.
type serverOptions struct {
	calls       servercall.Config
	unary       grpc.UnaryServerInterceptor // precedes chainUnary
	chainUnary  []grpc.UnaryServerInterceptor
	stream      grpc.StreamServerInterceptor // precedes chainStream
	chainStream []grpc.StreamServerInterceptor

	creds credentials.TransportCredentials // of Serve; nil for cleartext
	http  server.Config                    // of Serve and ServeTLS
}

// defaultReceive is the largest message that is received unless an option says otherwise.
const defaultReceive = 4 << 20

func defaultServerOptions() serverOptions {
	return serverOptions{calls: servercall.Config{MaxReceive: defaultReceive, MaxSend: math.MaxInt32, Logger: slog.Default()},
		http: server.Config{MaxBodyBytes: -1, HTTP2: server.HTTP2Config{PingInterval: 2 * time.Hour, PingTimeout: 20 * time.Second}}}
}

// engineConfig returns the settings of calls.
func (o *serverOptions) engineConfig() servercall.Config {
	cfg := o.calls
	unary, stream := o.chainUnary, o.chainStream
	if o.unary != nil {
		unary = append([]grpc.UnaryServerInterceptor{o.unary}, unary...)
	}
	if o.stream != nil {
		stream = append([]grpc.StreamServerInterceptor{o.stream}, stream...)
	}
	cfg.Unary, cfg.Stream = servercall.ChainUnary(unary), servercall.ChainStream(stream)
	return cfg
}

// MaxRecvMsgSize limits a received message to n bytes, as received and decompressed. Default 4 MiB.
func MaxRecvMsgSize(n int) ServerOption {
	return serverOption(func(o *serverOptions) { o.calls.MaxReceive = n })
}

// MaxSendMsgSize limits a sent message to n bytes. Default: what 31 bits can hold.
func MaxSendMsgSize(n int) ServerOption {
	return serverOption(func(o *serverOptions) { o.calls.MaxSend = n })
}

// UnaryInterceptor sets the interceptor of unary calls. It precedes those of ChainUnaryInterceptor. A second one panics.
func UnaryInterceptor(i grpc.UnaryServerInterceptor) ServerOption {
	return serverOption(func(o *serverOptions) {
		if o.unary != nil {
			panic("grpc: a second UnaryInterceptor")
		}
		o.unary = i
	})
}

// ChainUnaryInterceptor adds interceptors of unary calls: the first is the outermost.
func ChainUnaryInterceptor(interceptors ...grpc.UnaryServerInterceptor) ServerOption {
	return serverOption(func(o *serverOptions) { o.chainUnary = append(o.chainUnary, interceptors...) })
}

// StreamInterceptor sets the interceptor of streams. It precedes those of ChainStreamInterceptor. A second one panics.
func StreamInterceptor(i grpc.StreamServerInterceptor) ServerOption {
	return serverOption(func(o *serverOptions) {
		if o.stream != nil {
			panic("grpc: a second StreamInterceptor")
		}
		o.stream = i
	})
}

// ChainStreamInterceptor adds interceptors of streams: the first is the outermost.
func ChainStreamInterceptor(interceptors ...grpc.StreamServerInterceptor) ServerOption {
	return serverOption(func(o *serverOptions) { o.chainStream = append(o.chainStream, interceptors...) })
}

// InTapHandle sets the function that is asked before each call is served, with the context that the call will have. An
// error that it returns is the status of the call.
func InTapHandle(h tap.ServerInHandle) ServerOption {
	return serverOption(func(o *serverOptions) { o.calls.Tap = h })
}

// StatsHandler adds a handler that is told of every call, and of the connections of Serve and ServeTLS.
func StatsHandler(h stats.Handler) ServerOption {
	return serverOption(func(o *serverOptions) {
		if h != nil {
			o.calls.Stats = append(o.calls.Stats, h)
		}
	})
}

// UnknownServiceHandler sets the handler of methods that are not registered, a stream both ways. Without it these calls
// have the status Unimplemented.
func UnknownServiceHandler(h grpc.StreamHandler) ServerOption {
	return serverOption(func(o *serverOptions) { o.calls.Unknown = h })
}

// ForceServerCodecV2 makes c the codec of all messages, whatever the content-type says.
func ForceServerCodecV2(c encoding.CodecV2) ServerOption { return forceCodec(codec.V2(c)) }

// ForceServerCodec is ForceServerCodecV2 for a codec of the older interface.
func ForceServerCodec(c encoding.Codec) ServerOption { return forceCodec(codec.V1(c)) }

func forceCodec(c codec.Codec) ServerOption {
	return serverOption(func(o *serverOptions) { o.calls.Codec = &c })
}

// WaitForHandlers makes Stop wait until all handlers have returned.
func WaitForHandlers(wait bool) ServerOption {
	return serverOption(func(o *serverOptions) { o.calls.CountRunning = wait })
}

// Logger sets where panics of handlers are logged. Default: slog.Default.
func Logger(l *slog.Logger) ServerOption {
	return serverOption(func(o *serverOptions) { o.calls.Logger, o.http.Logger = l, l })
}

// The options below concern the connections of Serve and ServeTLS. Those of another server have that server's settings.

// Creds makes Serve authenticate clients, and encrypt, as c does. Credentials of package credentials/tls work; ServeTLS, or
// TLSConfig, is faster for them, because the server then knows its TLS connections.
func Creds(c credentials.TransportCredentials) ServerOption {
	return serverOption(func(o *serverOptions) { o.creds = c })
}

// TLSConfig makes Serve serve TLS with cfg, as ServeTLS does. cfg is copied.
func TLSConfig(cfg *tls.Config) ServerOption {
	return serverOption(func(o *serverOptions) { o.http.TLSConfig = cfg })
}

// HTTP sets the settings of the server beneath: limits, timeouts, other protocols on the port. Options after it change
// them. A Handler in cfg serves the requests that are no calls; without it they get status 415.
func HTTP(cfg server.Config) ServerOption {
	return serverOption(func(o *serverOptions) {
		if cfg.MaxBodyBytes == 0 {
			cfg.MaxBodyBytes = -1
		}
		o.http = cfg
	})
}

// MaxConcurrentStreams is how many calls a connection may have at once. Default 250.
func MaxConcurrentStreams(n uint32) ServerOption {
	return serverOption(func(o *serverOptions) { o.http.HTTP2.MaxConcurrentStreams = n })
}

// ConnectionTimeout limits the time of a connection's handshake. Default 10 s.
func ConnectionTimeout(d time.Duration) ServerOption {
	return serverOption(func(o *serverOptions) { o.http.TLSHandshakeTimeout, o.http.ReadHeaderTimeout = d, d })
}

// MaxHeaderListSize limits the head of a request to n bytes. Default 64 KiB.
func MaxHeaderListSize(n uint32) ServerOption {
	return serverOption(func(o *serverOptions) { o.http.MaxHeadBytes = int(min(n, math.MaxInt32)) })
}

// HeaderTableSize is the size, in bytes, of the table that a client may fill with fields (RFC 7541 §4.2). Default 4 KiB.
func HeaderTableSize(n uint32) ServerOption {
	return serverOption(func(o *serverOptions) { o.http.HTTP2.DecoderTableSize = n })
}

// InitialWindowSize is how many bytes of one call are received and not yet read. Default 1 MiB.
func InitialWindowSize(n int32) ServerOption {
	return serverOption(func(o *serverOptions) { o.http.HTTP2.StreamWindow = uint32(max(n, 0)) })
}

// InitialConnWindowSize is InitialWindowSize for all calls of a connection together. Default 2 MiB.
func InitialConnWindowSize(n int32) ServerOption {
	return serverOption(func(o *serverOptions) { o.http.HTTP2.ConnWindow = uint32(max(n, 0)) })
}

// ReadBufferSize is the first size of a connection's input buffer, in bytes. Default 4 KiB.
func ReadBufferSize(n int) ServerOption {
	return serverOption(func(o *serverOptions) { o.http.ReadBufferSize = n })
}

// WriteBufferSize is how many bytes of a response are collected before they are sent. Default 4 KiB.
func WriteBufferSize(n int) ServerOption {
	return serverOption(func(o *serverOptions) { o.http.WriteBufferSize = n })
}

// KeepaliveParams sets when idle connections are closed, when silent clients are sent a PING and when one that does not
// answer is given up.
func KeepaliveParams(p keepalive.ServerParameters) ServerOption {
	return serverOption(func(o *serverOptions) {
		o.http.IdleTimeout = p.MaxConnectionIdle
		o.http.HTTP2.PingInterval, o.http.HTTP2.PingTimeout = p.Time, p.Timeout
	})
}
