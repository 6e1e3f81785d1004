// Blocking sockets in C as a peer of the suite sockets, over tcp. It shows the cost of the system itself. A message is preceded
// by its length, four bytes in network order, and both are sent in one write. One read takes all bytes that have arrived. The
// protocol is in talk.h.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "talk.h"

typedef struct {
  int fd;
  char *b;
  size_t at, n, room; // in b: the next message, the end of the received bytes, the capacity
} wire;

static void send_message(void *link, const char *p, size_t n) {
  wire *w = (wire *)link;
  uint32_t head = htonl((uint32_t)n);
  struct iovec both[2] = {{&head, sizeof head}, {(void *)p, n}};
  for (size_t left = n + 4; left > 0;) {
    ssize_t k = writev(w->fd, both, 2);
    if (k <= 0) talk_die("writing failed");
    left -= (size_t)k;
    for (int i = 0; i < 2; i++) {
      size_t gone = (size_t)k < both[i].iov_len ? (size_t)k : both[i].iov_len;
      both[i].iov_base = (char *)both[i].iov_base + gone;
      both[i].iov_len -= gone;
      k -= (ssize_t)gone;
    }
  }
}

static talk_bytes receive_message(void *link) {
  wire *w = (wire *)link;
  for (;;) {
    uint32_t head = 0;
    size_t have = w->n - w->at;
    if (have >= 4) memcpy(&head, w->b + w->at, 4);
    size_t size = 4 + ntohl(head);
    if (have >= 4 && have >= size) {
      talk_bytes m = {w->b + w->at + 4, size - 4};
      w->at += size;
      return m;
    }
    if (w->at > 0) memmove(w->b, w->b + w->at, have);
    w->at = 0;
    w->n = have;
    if (size < 65536) size = 65536;
    if (w->room < size) w->b = (char *)realloc(w->b, w->room = size);
    ssize_t k = read(w->fd, w->b + have, w->room - have);
    if (k <= 0) _exit(0); // the other end has closed the connection
    w->n += (size_t)k;
  }
}

static void converse(wire *w) {
  for (;;) {
    int echo = talk_is(receive_message(w), "echo");
    talk_account a = talk_begin();
    for (;;) {
      talk_bytes m = receive_message(w);
      if (m.n == 0) break;
      talk_check(&a, m);
      if (echo) send_message(w, m.p, m.n);
    }
    char said[128];
    send_message(w, said, talk_report(&a, said, sizeof said));
  }
}

_Noreturn static void serve(void) {
  int l = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
  struct sockaddr_in at = {0};
  socklen_t n = sizeof at;
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(l, (struct sockaddr *)&at, n) != 0 || listen(l, 64) != 0) talk_die("listening failed");
  getsockname(l, (struct sockaddr *)&at, &n);
  printf("127.0.0.1:%d\n", ntohs(at.sin_port));
  fflush(stdout);
  for (;;) {
    wire w = {accept(l, NULL, NULL), NULL, 0, 0, 0};
    setsockopt(w.fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (fork() == 0) converse(&w);
    close(w.fd);
    while (waitpid(-1, NULL, WNOHANG) > 0) {
    }
  }
}

int main(int argc, char **argv) {
  if (argc == 4 && strcmp(argv[1], "serve") == 0) serve();
  if (argc != 8) {
    fprintf(stderr, "pingpong serve tcp DIR | pingpong drive tcp HOST PORT TASK SIZE SECONDS\n");
    return 2;
  }
  wire w = {socket(AF_INET, SOCK_STREAM, 0), NULL, 0, 0, 0};
  struct sockaddr_in at = {0};
  int yes = 1;
  at.sin_family = AF_INET;
  at.sin_port = htons((uint16_t)atoi(argv[4]));
  if (inet_pton(AF_INET, argv[3], &at.sin_addr) != 1 || connect(w.fd, (struct sockaddr *)&at, sizeof at) != 0)
    talk_die("connecting failed");
  setsockopt(w.fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  talk_task task = {argv[5], (size_t)strtoul(argv[6], NULL, 10), strtod(argv[7], NULL)};
  talk_drive(&task, &w, send_message, receive_message);
  return 0;
}
