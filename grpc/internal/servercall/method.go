package servercall

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Method is a method of a registered service.
type Method struct {
	full  string // "/package.Service/Method"
	impl  any
	unary unaryHandler // nil for a method that streams
	streaming
}

// unaryHandler is the handler of generated code for a unary method.
type unaryHandler = func(srv any, ctx context.Context, dec func(any) error, interceptor grpc.UnaryServerInterceptor) (any, error)

// streaming is what a method that streams has.
type streaming struct {
	handler grpc.StreamHandler
	info    *grpc.StreamServerInfo
}

// streams reports which sides send any number of messages.
func (m *Method) streams() (client, server bool) {
	if m.unary != nil {
		return false, false
	}
	return m.info.IsClientStream, m.info.IsServerStream
}

// Registry holds services. All are registered before the first call.
type Registry struct {
	services map[string]grpc.ServiceInfo
	methods  map[string]*Method
	unknown  grpc.StreamHandler // for paths of no registered method; may be nil
}

// Register adds the service that d describes and impl implements. It panics if the name is taken or impl does not
// implement the service, as that is a mistake in the program.
func (r *Registry) Register(d *grpc.ServiceDesc, impl any) {
	if r.services == nil {
		r.services, r.methods = map[string]grpc.ServiceInfo{}, map[string]*Method{}
	}
	if _, taken := r.services[d.ServiceName]; taken {
		panic(fmt.Sprintf("grpc: service %s is registered twice", d.ServiceName))
	}
	if impl != nil && d.HandlerType != nil {
		if want := reflect.TypeOf(d.HandlerType).Elem(); !reflect.TypeOf(impl).Implements(want) {
			panic(fmt.Sprintf("grpc: %T does not implement %v", impl, want))
		}
	}
	info := grpc.ServiceInfo{Metadata: d.Metadata}
	for i := range d.Methods {
		m := &d.Methods[i]
		full := "/" + d.ServiceName + "/" + m.MethodName
		r.methods[full] = &Method{full: full, impl: impl, unary: m.Handler}
		info.Methods = append(info.Methods, grpc.MethodInfo{Name: m.MethodName})
	}
	for i := range d.Streams {
		m := &d.Streams[i]
		full := "/" + d.ServiceName + "/" + m.StreamName
		r.methods[full] = &Method{full: full, impl: impl, streaming: streaming{m.Handler,
			&grpc.StreamServerInfo{FullMethod: full, IsClientStream: m.ClientStreams, IsServerStream: m.ServerStreams}}}
		info.Methods = append(info.Methods, grpc.MethodInfo{Name: m.StreamName, IsClientStream: m.ClientStreams, IsServerStream: m.ServerStreams})
	}
	r.services[d.ServiceName] = info
}

// Services returns the registered services by name.
func (r *Registry) Services() map[string]grpc.ServiceInfo { return r.services }

// find returns the method of a path. For a path that nothing handles err is the status of its calls.
func (r *Registry) find(path []byte) (m *Method, err error) {
	if m := r.methods[string(path)]; m != nil {
		return m, nil
	}
	m = &Method{full: string(path)}
	m.info = &grpc.StreamServerInfo{FullMethod: m.full, IsClientStream: true, IsServerStream: true}
	if m.handler = r.unknown; m.handler == nil {
		return m, r.notFound(m.full)
	}
	return m, nil
}

// notFound returns the status of a call whose method is not registered.
func (r *Registry) notFound(full string) error {
	service, name, ok := strings.Cut(strings.TrimPrefix(full, "/"), "/")
	if !ok {
		return status.Errorf(codes.Unimplemented, "grpc: %q is not the path of a method", full)
	}
	if _, ok := r.services[service]; !ok {
		return status.Errorf(codes.Unimplemented, "grpc: unknown service %s", service)
	}
	return status.Errorf(codes.Unimplemented, "grpc: unknown method %s of service %s", name, service)
}
