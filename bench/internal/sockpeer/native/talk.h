// The protocol of the suite sockets, for peers in C and C++. The doc of the Go package sockpeer describes it.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { TALK_PATTERN = 4096, TALK_BATCH = 64 };

typedef struct {
  const char *p;
  size_t n;
} talk_bytes;

typedef struct {
  uint64_t count, wrong; // number of messages; the first wrong one, counted from 1, or 0
  double began, cpu;
} talk_account;

typedef struct {
  const char *what; // oneway, lone or batch
  size_t size;
  double seconds;
} talk_task;

static double talk_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

// talk_cpu returns the CPU time that this process has used, in seconds.
static double talk_cpu(void) {
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static int talk_is(talk_bytes m, const char *word) { return m.n == strlen(word) && memcmp(m.p, word, m.n) == 0; }

static const char *talk_pattern(void) {
  static char pattern[TALK_PATTERN];
  if (pattern[1] == 0)
    for (int i = 0; i < TALK_PATTERN; i++) pattern[i] = (char)(i * 7 + i / 256);
  return pattern;
}

// talk_fill makes p a message: its number followed by the pattern.
static void talk_fill(char *p, size_t n, uint64_t number) {
  const char *pattern = talk_pattern();
  for (size_t i = 0; i < n; i += TALK_PATTERN) memcpy(p + i, pattern, n - i < TALK_PATTERN ? n - i : TALK_PATTERN);
  memcpy(p, &number, sizeof number);
}

static int talk_same(talk_bytes m, uint64_t number) {
  const char *pattern = talk_pattern();
  if (m.n < 8 || memcmp(m.p, &number, 8) != 0) return 0;
  for (size_t i = 8; i < m.n;) {
    size_t at = i % TALK_PATTERN, n = TALK_PATTERN - at;
    if (n > m.n - i) n = m.n - i;
    if (memcmp(m.p + i, pattern + at, n) != 0) return 0;
    i += n;
  }
  return 1;
}

static talk_account talk_begin(void) {
  talk_account a = {0, 0, talk_now(), talk_cpu()};
  return a;
}

static void talk_check(talk_account *a, talk_bytes m) {
  if (!talk_same(m, a->count++) && a->wrong == 0) a->wrong = a->count;
}

// talk_report writes a server's report: number of messages, the first wrong one, seconds, seconds of CPU time.
static size_t talk_report(const talk_account *a, char *to, size_t room) {
  return (size_t)snprintf(to, room, "%llu %llu %.9f %.6f", (unsigned long long)a->count, (unsigned long long)a->wrong,
                          talk_now() - a->began, talk_cpu() - a->cpu);
}

typedef void (*talk_send)(void *link, const char *p, size_t n);
typedef talk_bytes (*talk_receive)(void *link);

static void talk_die(const char *why) {
  fprintf(stderr, "%s\n", why);
  exit(1);
}

typedef struct {
  double *all;
  size_t n, room;
} talk_times;

static void talk_note(talk_times *t, double seconds) {
  if (t->n == t->room) {
    t->room = t->room ? 2 * t->room : 4096;
    t->all = (double *)realloc(t->all, t->room * sizeof *t->all);
  }
  t->all[t->n++] = seconds * 1e6;
}

static int talk_less(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static uint64_t talk_oneway(const talk_task *task, void *link, talk_send send, char *p) {
  double until = talk_now() + task->seconds;
  for (uint64_t n = 0;; n++) {
    if (n % TALK_BATCH == 0 && n > 0 && talk_now() >= until) return n;
    memcpy(p, &n, sizeof n);
    send(link, p, task->size);
  }
}

static uint64_t talk_echoes(const talk_task *task, void *link, talk_send send, talk_receive receive, char *p,
                            talk_times *times) {
  uint64_t batch = strcmp(task->what, "batch") == 0 ? TALK_BATCH : 1, n = 0;
  double began = talk_now(), until = began + task->seconds;
  do {
    for (uint64_t i = n; i < n + batch; i++) {
      memcpy(p, &i, sizeof i);
      send(link, p, task->size);
    }
    for (uint64_t i = 0; i < batch; i++, n++) {
      talk_bytes m = receive(link);
      if (m.n != task->size || !talk_same(m, n)) talk_die("an echo is another message");
    }
    double now = talk_now();
    talk_note(times, now - began);
    began = now;
  } while (began < until);
  return n;
}

// talk_round does the task once. It prints the result if counts is set.
static void talk_round(const talk_task *task, void *link, talk_send send, talk_receive receive, int counts) {
  int oneway = strcmp(task->what, "oneway") == 0;
  const char *order = oneway ? "sink" : "echo";
  char *p = (char *)malloc(task->size);
  talk_fill(p, task->size, 0);
  talk_times times = {0, 0, 0};
  send(link, order, strlen(order));
  double cpu = talk_cpu();
  uint64_t n = oneway ? talk_oneway(task, link, send, p) : talk_echoes(task, link, send, receive, p, &times);
  send(link, p, 0);
  talk_bytes said = receive(link);
  cpu = talk_cpu() - cpu;
  char text[128] = {0};
  memcpy(text, said.p, said.n < sizeof text - 1 ? said.n : sizeof text - 1);
  unsigned long long count, wrong;
  double seconds, theirs;
  if (sscanf(text, "%llu %llu %lf %lf", &count, &wrong, &seconds, &theirs) != 4 || count != n || wrong != 0)
    talk_die(text);
  if (counts) {
    printf("{\"messages\":%llu,\"elapsed_s\":%.9f,\"rate\":%.3f,\"sender_us\":%.6f,\"receiver_us\":%.6f", count, seconds,
           (double)count / seconds, cpu * 1e6 / (double)count, theirs * 1e6 / (double)count);
    if (times.n > 0) {
      qsort(times.all, times.n, sizeof *times.all, talk_less);
      printf(",\"p50_us\":%.3f,\"p99_us\":%.3f", times.all[times.n / 2], times.all[times.n * 99 / 100]);
    }
    printf("}\n");
  }
  free(times.all);
  free(p);
}

// talk_drive does the task, after a warm-up that does not count.
static void talk_drive(const talk_task *task, void *link, talk_send send, talk_receive receive) {
  talk_task warm = *task;
  warm.seconds = task->seconds < 0.6 ? task->seconds / 3 : 0.2;
  talk_round(&warm, link, send, receive, 0);
  talk_round(task, link, send, receive, 1);
}
