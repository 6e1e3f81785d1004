package doctor

// checks are the checks in the order of the report.
var checks = []struct {
	name string
	look func(*machine) diagnosis
}{
	{"descriptors", (*machine).checkDescriptors},
	{"net.core.somaxconn", (*machine).checkAcceptQueue},
	{"net.ipv4.tcp_max_syn_backlog", (*machine).checkSYNQueue},
	{"net.ipv4.ip_local_port_range", (*machine).checkPorts},
	{"net.ipv4.tcp_tw_reuse", (*machine).checkPortReuse},
	{"nf_conntrack", (*machine).checkConntrack},
	{"TCP congestion control", (*machine).checkCongestionControl},
	{"net.core.rmem_max", (*machine).checkReceiveBuffer},
	{"net.core.wmem_max", (*machine).checkSendBuffer},
	{"UDP GSO", (*machine).checkGSO},
	{"UDP GRO", (*machine).checkGRO},
	{"GOMAXPROCS", (*machine).checkProcs},
	{"memory", (*machine).checkMemory},
	{"GOMEMLIMIT", (*machine).checkMemoryLimit},
	{"transparent huge pages", (*machine).checkHugePages},
	{"clock source", (*machine).checkClock},
}

// diagnose runs all checks.
func (m *machine) diagnose() []diagnosis {
	found := make([]diagnosis, len(checks))
	for i, c := range checks {
		found[i] = c.look(m)
		found[i].Name = c.name
	}
	return found
}
