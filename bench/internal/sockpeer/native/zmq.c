// libzmq's STREAM socket as a peer of the suite sockets, over tcp: one socket for all connections, each with a routing id. A
// message is preceded by its length, four bytes in network order. The protocol is in talk.h.
#include <arpa/inet.h>
#include <zmq.h>

#include "talk.h"

enum { ID = 5, PEERS = 1 << 15, CHUNK = 1 << 16 };

// peer is a connection: the received bytes that are not handled yet, and its order.
typedef struct {
  char id[ID];
  char *b;
  size_t at, n, room; // in b: the next message, the end of the received bytes, the capacity
  enum { FREE, ORDER, ECHO, SINK, ROOM } is;
  talk_account account;
} peer;

static void *sock;
static peer peers[PEERS];
static int first[PEERS], members; // indexes of the peers in the room, and their number
static char *out;
static size_t out_room;

static void must(int ok, const char *what) {
  if (!ok) {
    fprintf(stderr, "zmq: %s: %s\n", what, zmq_strerror(zmq_errno()));
    exit(1);
  }
}

static peer *find(const char *id) {
  uint32_t h;
  memcpy(&h, id + 1, sizeof h);
  h = ntohl(h);
  for (;; h++) {
    peer *p = &peers[h % PEERS];
    if (p->is == FREE) {
      memcpy(p->id, id, ID);
      p->is = ORDER;
      p->at = p->n = 0;
      return p;
    }
    if (memcmp(p->id, id, ID) == 0) return p;
  }
}

static void send_message(const char *id, const char *p, size_t n) {
  uint32_t head = htonl((uint32_t)n);
  if (out_room < n + 4) out = (char *)realloc(out, out_room = n + 4);
  memcpy(out, &head, 4);
  memcpy(out + 4, p, n);
  if (zmq_send(sock, id, ID, ZMQ_SNDMORE) == ID) zmq_send(sock, out, n + 4, 0); // otherwise the peer is gone
}

// receive_chunk receives bytes of a peer and appends them to its buffer.
static peer *receive_chunk(void) {
  char id[ID];
  must(zmq_recv(sock, id, ID, 0) == ID, "receiving an id");
  peer *p = find(id);
  zmq_msg_t m;
  must(zmq_msg_init(&m) == 0 && zmq_msg_recv(&m, sock, 0) >= 0, "receiving");
  size_t n = zmq_msg_size(&m);
  if (p->at > 0) {
    memmove(p->b, p->b + p->at, p->n - p->at);
    p->n -= p->at;
    p->at = 0;
  }
  if (p->room < p->n + n) p->b = (char *)realloc(p->b, p->room = 2 * (p->n + n));
  memcpy(p->b + p->n, zmq_msg_data(&m), n);
  p->n += n;
  zmq_msg_close(&m);
  return p;
}

// next takes the next complete message of a peer. It returns 0 if there is none.
static int next(peer *p, talk_bytes *m) {
  uint32_t head;
  if (p->n - p->at < 4) return 0;
  memcpy(&head, p->b + p->at, 4);
  m->n = ntohl(head);
  if (p->n - p->at < 4 + m->n) return 0;
  m->p = p->b + p->at + 4;
  p->at += 4 + m->n;
  return 1;
}

static void take(peer *p, talk_bytes m) {
  switch (p->is) {
  case ROOM:
    for (int i = 0; i < members; i++) send_message(peers[first[i]].id, m.p, m.n);
    return;
  case ORDER:
    p->is = talk_is(m, "room") ? ROOM : talk_is(m, "echo") ? ECHO : SINK;
    if (p->is == ROOM) first[members++] = (int)(p - peers);
    p->account = talk_begin();
    return;
  default:
    if (m.n == 0) {
      char said[128];
      send_message(p->id, said, talk_report(&p->account, said, sizeof said));
      p->is = ORDER;
      return;
    }
    talk_check(&p->account, m);
    if (p->is == ECHO) send_message(p->id, m.p, m.n);
  }
}

_Noreturn static void serve(void) {
  char at[256];
  size_t n = sizeof at;
  int backlog = 4096;
  zmq_setsockopt(sock, ZMQ_BACKLOG, &backlog, sizeof backlog);
  must(zmq_bind(sock, "tcp://127.0.0.1:*") == 0, "binding");
  zmq_getsockopt(sock, ZMQ_LAST_ENDPOINT, at, &n);
  printf("%s\n", at + strlen("tcp://"));
  fflush(stdout);
  for (;;) {
    peer *p = receive_chunk();
    talk_bytes m;
    while (next(p, &m)) take(p, m);
  }
}

static char to[ID];

static void send_there(void *link, const char *p, size_t n) {
  (void)link;
  send_message(to, p, n);
}

static talk_bytes receive_there(void *link) {
  talk_bytes m;
  peer *p = (peer *)link;
  while (!next(p, &m)) receive_chunk();
  return m;
}

static int drive(const char *host, const char *port, const talk_task *task) {
  char at[256];
  snprintf(at, sizeof at, "tcp://%s:%s", host, port);
  must(zmq_connect(sock, at) == 0, "connecting");
  peer *p = receive_chunk(); // the empty message that announces the connection
  memcpy(to, p->id, ID);
  talk_drive(task, p, send_there, receive_there);
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 2) {
    int major, minor, patch;
    zmq_version(&major, &minor, &patch);
    printf("%d.%d.%d\n", major, minor, patch);
    return 0;
  }
  void *context = zmq_ctx_new();
  zmq_ctx_set(context, ZMQ_MAX_SOCKETS, 1 << 14);
  sock = zmq_socket(context, ZMQ_STREAM);
  must(sock != NULL, "making a socket");
  if (argc == 4 && strcmp(argv[1], "serve") == 0) serve();
  if (argc == 8) {
    talk_task task = {argv[5], (size_t)strtoul(argv[6], NULL, 10), strtod(argv[7], NULL)};
    return drive(argv[3], argv[4], &task);
  }
  fprintf(stderr, "zmq serve tcp DIR | zmq drive tcp HOST PORT TASK SIZE SECONDS\n");
  return 2;
}
