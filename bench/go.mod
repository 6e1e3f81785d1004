module github.com/shockwave-go/shockwave/bench

go 1.26.0

require (
	github.com/coder/websocket v1.8.15
	github.com/go-resty/resty/v2 v2.17.2
	github.com/gobwas/ws v1.5.0
	github.com/gorilla/websocket v1.5.3
	github.com/hashicorp/yamux v0.1.2
	github.com/lxzan/gws v1.8.9
	github.com/quic-go/quic-go v0.65.0
	github.com/shockwave-go/shockwave v0.0.0
	github.com/shockwave-go/shockwave/http3 v0.0.0
	github.com/valyala/fasthttp v1.74.0
	github.com/xtaci/smux v1.5.58
	golang.org/x/net v0.62.0
	golang.org/x/sys v0.49.0
	google.golang.org/grpc v1.85.0
	google.golang.org/protobuf v1.36.12
)

require (
	github.com/andybalholm/brotli v1.2.8 // indirect
	github.com/dolthub/maphash v0.1.0 // indirect
	github.com/gobwas/httphead v0.1.0 // indirect
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/molecule-man/go-brrr v1.0.1 // indirect
	github.com/quic-go/qpack v0.6.0 // indirect
	github.com/valyala/bytebufferpool v1.0.0 // indirect
	golang.org/x/crypto v0.58.0 // indirect
	golang.org/x/text v0.43.0 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260817212433-ac3dfec99bb1 // indirect
)

replace (
	github.com/shockwave-go/shockwave => ../
	github.com/shockwave-go/shockwave/http3 => ../http3
)
