/* Plays the jobs that doc.go describes, with the client of clients/c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "streamsock.h"

static void obey(ss_conn *c, const char *what, const unsigned char *data, size_t size) {
  int code, at = 0;
  if (sscanf(what, "do:close %d %n", &code, &at) == 1 && at > 0) ss_close(c, code, what + at);
  if (strncmp(what, "do:text ", 8) == 0) ss_send(c, data + 8, size - 8, 1);
  if (strncmp(what, "do:send ", 8) != 0) return;
  size_t n = (size_t)atol(what + 8);
  unsigned char *p = malloc(n + 1);
  for (size_t i = 0; i < n; i++) p[i] = (unsigned char)(i % 251);
  ss_send(c, p, n, 0);
  free(p);
}

static void play(const char *job) {
  char flags[8] = "";
  unsigned long most = 0;
  int at = 0;
  sscanf(job, "%7[a-z]", flags);
  sscanf(strchr(job, ',') + 1, "%lu,%n", &most, &at);
  ss_options o = {strchr(flags, 'p') != NULL, strchr(flags, 't') != NULL, (uint32_t)most};
  const char *error = "";
  ss_conn *c = ss_connect(strchr(job, ',') + 1 + at, o, &error);
  if (c == NULL) {
    printf("failed %s\n", error);
    return;
  }
  for (ss_message m; ss_receive(c, &m);) {
    char what[100];
    snprintf(what, sizeof what, "%.*s", m.size < 99 ? (int)m.size : 99, (const char *)m.data);
    if (strncmp(what, "do:", 3) == 0) {
      obey(c, what, m.data, m.size);
    } else if (strchr(flags, 'e') != NULL) {
      ss_send(c, m.data, m.size, m.text);
    } else {
      uint32_t h = 0x811c9dc5;
      for (size_t i = 0; i < m.size; i++) h = (h ^ m.data[i]) * 0x01000193;
      printf("message %s %zu %08x\n", m.text ? "text" : "binary", m.size, (unsigned)h);
    }
  }
  ss_end end = *ss_why(c);
  for (char *p = end.text; *p != 0; p++)
    if (*p == ' ') *p = '_';
  printf("end %s %d %lu %s\n", end.reason, end.code, (unsigned long)end.length, end.text[0] ? end.text : "-");
  ss_free(c);
}

int main(int n, char **jobs) {
  for (int i = 1; i < n; i++) play(jobs[i]);
  return 0;
}
