module github.com/shockwave-go/shockwave/cmd/shockwave

go 1.26.0

require (
	github.com/HdrHistogram/hdrhistogram-go v1.4.0
	github.com/google/go-cmp v0.7.0
	github.com/guptarohit/asciigraph v0.10.0
	github.com/quic-go/quic-go v0.65.0
	github.com/shockwave-go/shockwave v0.0.0
	github.com/shockwave-go/shockwave/http3 v0.0.0
	go.uber.org/goleak v1.3.0
	golang.org/x/net v0.62.0
	golang.org/x/sys v0.49.0
)

require (
	github.com/andybalholm/brotli v1.2.8 // indirect
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/quic-go/qpack v0.6.0 // indirect
	golang.org/x/crypto v0.58.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)

replace (
	github.com/shockwave-go/shockwave => ../../
	github.com/shockwave-go/shockwave/http3 => ../../http3
)
