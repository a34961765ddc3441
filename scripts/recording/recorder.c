// SPDX-License-Identifier: Apache-2.0
// Recorder between an MPI program and SMPI: writes what one rank does to a file, a line a call. record_trace
// links it into the program and resolves the program's calls of X to __wrap_X. SMPI loads the program once a
// rank, so that everything static here belongs to one rank. README.md has the lines.

#include <dlfcn.h>
#include <fcntl.h>
#include <math.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// The recorder's own memory and clock are none of SMPI's.
#undef calloc
#undef clock_gettime
#undef free
#undef malloc
#undef realloc

enum { unknown = -1, buckets = 1024 };
#define LARGEST_FLOPS (UINT64_MAX / 2)
#define LARGEST_BYTES UINT32_MAX             // of a message that a replay takes
#define LARGEST_TAG (INT32_MAX - (1 << 20))  // numbers above it stand for tags of other communicators
#define MOST_NAMES ((int64_t)1 << 20)        // communicators that one rank may name

/// A communicator that this rank is in.
struct Communicator {
  MPI_Comm handle;
  int64_t name;  ///< the same at all members
  int size;
  int* world;  ///< rank in MPI_COMM_WORLD of each member
  struct Communicator* next;
};

/// A request of the program that is not over, or a persistent one.
struct Request {
  MPI_Request handle;
  struct Request* next;
  enum { is_send, is_receive, is_collective } kind;
  int buffered, persistent, active, cancelled;
  int64_t id;  ///< in the file; 0: nothing to wait for
  struct Communicator* communicator;
  int peer, tag;  ///< MPI_ANY_SOURCE and MPI_ANY_TAG until it is completed
  uint64_t bytes;
};

static struct {
  int rank;  ///< unknown before MPI_Init
  int measure;
  int has_timer, timer;  ///< whose first start and stop mark the program's timed section
  enum { before_section, in_section, after_section } section;
  const char* folder;
  char* text;  ///< not in the file yet
  size_t used, room;
  uint64_t flops, all_flops;  ///< computed since the last line; in all
  double fraction;            ///< of a flop
  struct timespec since;
  const char* call;  ///< the program's present call
  void* from;        ///< where it returns to
  struct Communicator* communicators;
  int64_t names;
  struct Request* requests[buckets];
  int64_t ids;
  int64_t* buffered;  ///< requests of buffered sends since the last MPI_Buffer_detach
  size_t buffered_used, buffered_room;
} self = {.rank = unknown};

static const char* path_of(char* path, size_t room, const char* name) {
  snprintf(path, room, "%s/%s", self.folder ? self.folder : getenv("TSUJI_RECORDING"), name);
  return path;
}

/// Ends the program, all ranks of it: record_trace reads the file `refused` and finds the line of the call.
_Noreturn static void refuse(const char* format, ...) {
  char path[4096];
  FILE* file = fopen(path_of(path, sizeof path, "refused"), "w");
  Dl_info here = {0};
  dladdr((void*)refuse, &here);
  if (file != NULL) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(file, "%#lx %d %s ", (long)((char*)self.from - (char*)here.dli_fbase - 1), self.rank, self.call);
    vfprintf(file, format, arguments);
    fputc('\n', file);
    va_end(arguments);
    fclose(file);
  }
  fflush(NULL);
  _exit(2);
}

static void* more(void* memory, size_t bytes) {
  void* larger = realloc(memory, bytes);
  if (larger == NULL) refuse("no memory for the recording");
  return larger;
}

static double seconds_now(struct timespec* now) {
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, now);
  return (double)now->tv_sec + 1e-9 * (double)now->tv_nsec;
}

static void compute(double flops) {
  if (!(flops >= 0) || flops > (double)LARGEST_FLOPS)
    refuse("%g is not a number of flops (0..%llu)", isnan(flops) ? (double)NAN : flops,
           (unsigned long long)LARGEST_FLOPS);
  uint64_t whole = (uint64_t)flops;
  self.fraction += flops - (double)whole;
  whole += (uint64_t)self.fraction;
  self.fraction -= (double)(uint64_t)self.fraction;
  if (whole > LARGEST_FLOPS - self.all_flops)
    refuse("the rank computes more than %llu flops", (unsigned long long)LARGEST_FLOPS);
  self.flops += whole;
  self.all_flops += whole;
}

extern void __real_smpi_execute_flops(double flops);

/// Where a call of a Fortran program returns to, while it is one of C's; recorder_fortran.c sets it.
void* tsuji_called_from;

static void enter(const char* call, void* from) {
  self.call = call;
  self.from = tsuji_called_from != NULL ? tsuji_called_from : from;
  if (!self.measure || self.rank == unknown) return;
  struct timespec now;
  const struct timespec since = self.since;
  const double seconds = seconds_now(&now) - ((double)since.tv_sec + 1e-9 * (double)since.tv_nsec);
  if (seconds <= 0) return;
  compute(1e9 * seconds);
  __real_smpi_execute_flops(1e9 * seconds);
}

static void leave(void) {
  if (self.measure) seconds_now(&self.since);
}

static void flush(void) {
  char name[32], path[4096];
  snprintf(name, sizeof name, "rank%d", self.rank);
  // Open for the moment only: there may be more ranks than files that a process may have open.
  const int file = open(path_of(path, sizeof path, name), O_WRONLY | O_CREAT | O_APPEND, 0644);
  size_t written = 0;
  while (written < self.used) {
    const ssize_t more_written = file < 0 ? -1 : write(file, self.text + written, self.used - written);
    if (more_written <= 0) refuse("%s cannot be written: %m", path);
    written += (size_t)more_written;
  }
  close(file);
  self.used = 0;
}

static void put(const char* format, ...) {
  char word[160];
  va_list arguments;
  va_start(arguments, format);
  const size_t length = (size_t)vsnprintf(word, sizeof word, format, arguments);
  va_end(arguments);
  if (self.used + length > self.room) self.text = more(self.text, self.room = 2 * self.room + 4096);
  memcpy(self.text + self.used, word, length);
  self.used += length;
}

static void put_computed(void) {
  if (self.flops == 0) return;
  put("compute %llu\n", (unsigned long long)self.flops);
  self.flops = 0;
}

static void end_line(void) {
  put("\n");
  if (self.used > 32768) flush();
}

/// A program that has its errors returned may go on after a call that has done nothing.
static int ended(int error) {
  if (error != MPI_SUCCESS) {
    int class = error;
    PMPI_Error_class(error, &class);
    refuse("the call failed (MPI error class %d)", class);
  }
  leave();
  return error;
}

// Communicators

static struct Communicator* known(MPI_Comm handle) {
  for (struct Communicator** at = &self.communicators; *at != NULL; at = &(*at)->next) {
    if ((*at)->handle != handle) continue;
    struct Communicator* found = *at;
    *at = found->next;
    found->next = self.communicators;
    return self.communicators = found;
  }
  refuse("a communicator that no call made which the recorder knows");
}

static struct Communicator* adopt_named(MPI_Comm handle, int64_t name) {
  struct Communicator* made = more(NULL, sizeof *made);
  made->handle = handle;
  made->name = name;
  PMPI_Comm_size(handle, &made->size);
  made->world = more(NULL, sizeof(int) * (size_t)made->size);
  int* places = more(NULL, sizeof(int) * (size_t)made->size);
  for (int place = 0; place < made->size; ++place) places[place] = place;
  MPI_Group group, world;
  PMPI_Comm_group(handle, &group);
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Group_translate_ranks(group, made->size, places, world, made->world);
  PMPI_Group_free(&group);
  PMPI_Group_free(&world);
  free(places);
  made->next = self.communicators;
  self.communicators = made;
  put("comm %lld", (long long)name);
  for (int place = 0; place < made->size; ++place) put(" %d", made->world[place]);
  end_line();
  return made;
}

/// Its first member names a new communicator; the message that tells the others is not the program's.
static void adopt(MPI_Comm handle) {
  if (handle == MPI_COMM_NULL) return;
  int me;
  PMPI_Comm_rank(handle, &me);
  int64_t name = 2 + self.rank * MOST_NAMES + self.names;
  if (me == 0 && ++self.names == MOST_NAMES - 2) refuse("too many communicators");
  PMPI_Bcast(&name, sizeof name, MPI_BYTE, 0, handle);
  adopt_named(handle, name);
}

static void forget_communicator(MPI_Comm handle) {
  struct Communicator* gone = known(handle);
  self.communicators = gone->next;
  // A request may still know it.
  gone->handle = MPI_COMM_NULL;
}

// Messages

static uint64_t bytes_of(int count, MPI_Datatype type) {
  MPI_Count size = 0;
  PMPI_Type_size_x(type, &size);
  return (uint64_t)count * (uint64_t)size;
}

static int checked_tag(int tag) {
  if (tag > LARGEST_TAG) refuse("tag %d is too large (0..%d)", tag, LARGEST_TAG);
  return tag;
}

static uint64_t checked_bytes(uint64_t bytes) {
  if (bytes > LARGEST_BYTES)
    refuse("%llu bytes are more than a replay takes (0..%llu)", (unsigned long long)bytes,
           (unsigned long long)LARGEST_BYTES);
  return bytes;
}

/// "PEER COMMUNICATOR TAG BYTES", peer and tag -1 for those that are not known yet.
static void put_message(const struct Communicator* in, int peer, int tag, uint64_t bytes) {
  put(" %d %lld %d %llu", peer == MPI_ANY_SOURCE ? unknown : in->world[peer], (long long)in->name,
      tag == MPI_ANY_TAG ? unknown : checked_tag(tag), (unsigned long long)checked_bytes(bytes));
  end_line();
}

static void message(const char* word, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm) {
  if (peer == MPI_PROC_NULL) return;
  put_computed();
  put("%s", word);
  put_message(known(comm), peer, tag, bytes_of(count, type));
}

/// Writes the beginning of a message that a later call waits for; returns its id.
static int64_t begin(const struct Request* request) {
  put_computed();
  put("%s %lld", request->kind == is_send ? "isend" : "irecv", (long long)++self.ids);
  put_message(request->communicator, request->peer, request->tag, request->bytes);
  return self.ids;
}

// Requests

static struct Request** bucket_of(MPI_Request handle) {
  return &self.requests[((uintptr_t)handle >> 4) % buckets];
}

static struct Request* find(MPI_Request handle) {
  if (handle == MPI_REQUEST_NULL) return NULL;
  for (struct Request* at = *bucket_of(handle); at != NULL; at = at->next) {
    if (at->handle == handle) return at;
  }
  return NULL;
}

static struct Request* keep(MPI_Request handle, struct Request request) {
  if (handle == MPI_REQUEST_NULL) return NULL;
  struct Request* kept = more(NULL, sizeof *kept);
  *kept = request;
  kept->handle = handle;
  kept->next = *bucket_of(handle);
  return *bucket_of(handle) = kept;
}

static void forget(struct Request* request) {
  struct Request** at = bucket_of(request->handle);
  while (*at != request) at = &(*at)->next;
  *at = request->next;
  free(request);
}

static void start(struct Request* request) {
  request->active = 1;
  request->id = begin(request);
  if (!request->buffered) return;
  if (self.buffered_used == self.buffered_room) {
    self.buffered_room = 2 * self.buffered_room + 16;
    self.buffered = more(self.buffered, sizeof(int64_t) * self.buffered_room);
  }
  self.buffered[self.buffered_used++] = request->id;
  request->id = 0;
}

static struct Request new_message(int kind, int buffered, int count, MPI_Datatype type, int peer, int tag,
                                  MPI_Comm comm) {
  struct Request request = {.kind = kind, .buffered = buffered, .peer = peer, .tag = tag};
  request.communicator = known(comm);
  request.bytes = bytes_of(count, type);
  return request;
}

static void begin_message(int kind, int buffered, int count, MPI_Datatype type, int peer, int tag,
                          MPI_Comm comm, MPI_Request handle) {
  if (peer == MPI_PROC_NULL) return;
  struct Request request = new_message(kind, buffered, count, type, peer, tag, comm);
  start(&request);
  keep(handle, request);
}

static void make_persistent(int kind, int buffered, int count, MPI_Datatype type, int peer, int tag,
                            MPI_Comm comm, MPI_Request handle) {
  if (peer == MPI_PROC_NULL) return;
  struct Request request = new_message(kind, buffered, count, type, peer, tag, comm);
  request.persistent = 1;
  keep(handle, request);
}

/// Source and tag that a receive from anybody has got. SMPI's status names them wrongly where they were
/// given.
static void resolve(struct Request* receive, const MPI_Status* status) {
  if (status->MPI_ERROR == MPI_ERR_TRUNCATE)
    refuse("a message larger than its receive, of %llu bytes", (unsigned long long)receive->bytes);
  if (receive->peer == MPI_ANY_SOURCE) receive->peer = status->MPI_SOURCE;
  if (receive->tag == MPI_ANY_TAG) receive->tag = status->MPI_TAG;
}

static void match(const struct Request* request, const MPI_Status* status) {
  struct Request got = *request;
  resolve(&got, status);
  if (request->peer != MPI_ANY_SOURCE && request->tag != MPI_ANY_TAG) return;
  put("match %lld %d %d", (long long)got.id, got.communicator->world[got.peer], checked_tag(got.tag));
  end_line();
}

/// Completes a request; true if it is to be waited for.
static int complete(struct Request* request, const MPI_Status* status, int64_t* id) {
  int waited = request->active && request->id != 0, cancelled = 0;
  *id = request->id;
  if (waited && request->cancelled) PMPI_Test_cancelled(status, &cancelled);
  if (cancelled) {
    put("cancelled %lld", (long long)request->id);
    end_line();
    waited = 0;
  } else if (waited && request->kind == is_receive) {
    match(request, status);
  }
  request->active = request->cancelled = 0;
  return waited;
}

static void put_done(const int64_t* ids, size_t number) {
  if (number == 0) return;
  put_computed();
  put("done");
  for (size_t at = 0; at < number; ++at) put(" %lld", (long long)ids[at]);
  end_line();
}

/// Requests of one call that completes some of them: handles are gone after it.
struct Completion {
  struct Request** requests;
  MPI_Status* statuses;  ///< of the completed ones
  int64_t* ids;
  int owns_statuses;
};

static struct Completion completion_of(int count, const MPI_Request* handles, MPI_Status* statuses) {
  const size_t room = count > 0 ? (size_t)count : 1;
  struct Completion made = {.statuses = statuses};
  made.requests = more(NULL, room * sizeof *made.requests);
  made.ids = more(NULL, room * sizeof *made.ids);
  made.owns_statuses = statuses == MPI_STATUSES_IGNORE;
  if (made.owns_statuses) made.statuses = more(NULL, room * sizeof *made.statuses);
  for (int at = 0; at < count; ++at) made.requests[at] = find(handles[at]);
  return made;
}

/// `indices`: of the completed ones, NULL for the first `number`. `goes`: the program has no handle any more.
static void complete_all(struct Completion* of, int number, const int* indices, int goes) {
  size_t done = 0;
  for (int at = 0; at < number; ++at) {
    struct Request* request = of->requests[indices == NULL ? at : indices[at]];
    if (request == NULL) continue;
    done += (size_t)complete(request, &of->statuses[at], &of->ids[done]);
    if (goes && !request->persistent) forget(request);
  }
  put_done(of->ids, done);
}

static void release(struct Completion* of) {
  free(of->requests);
  free(of->ids);
  if (of->owns_statuses) free(of->statuses);
}

// The calls. `__real_X` is SMPI's, with its handling of errors.

#define ENTER(name) enter(#name, __builtin_return_address(0))
#define WRAP(type, name, parameters)    \
  extern type __real_##name parameters; \
  type __wrap_##name parameters;        \
  type __wrap_##name parameters

static void begin_recording(void) {
  PMPI_Comm_rank(MPI_COMM_WORLD, &self.rank);
  self.folder = getenv("TSUJI_RECORDING");
  self.measure = getenv("TSUJI_RECORDING_MEASURES") != NULL;
  const char* timer = getenv("TSUJI_RECORDING_TIMER");
  self.has_timer = timer != NULL;
  if (self.has_timer) self.timer = atoi(timer);
  adopt_named(MPI_COMM_WORLD, 0);
  adopt_named(MPI_COMM_SELF, 1);
}

WRAP(int, MPI_Init, (int* argc, char*** argv)) {
  ENTER(MPI_Init);
  const int error = __real_MPI_Init(argc, argv);
  begin_recording();
  return ended(error);
}

WRAP(int, MPI_Init_thread, (int* argc, char*** argv, int required, int* provided)) {
  ENTER(MPI_Init_thread);
  const int error = __real_MPI_Init_thread(argc, argv, required, provided);
  begin_recording();
  return ended(error);
}

WRAP(int, MPI_Finalize, (void)) {
  ENTER(MPI_Finalize);
  for (int bucket = 0; bucket < buckets; ++bucket) {
    for (const struct Request* at = self.requests[bucket]; at != NULL; at = at->next) {
      if (at->active && at->kind != is_send)
        refuse("a %s that nothing has completed",
               at->kind == is_receive ? "receive" : "collective operation");
    }
  }
  if (self.has_timer && self.section != after_section)
    refuse("timer %d %s", self.timer, self.section == in_section ? "never stops" : "never starts");
  put_computed();
  put("end");
  end_line();
  flush();
  return ended(__real_MPI_Finalize());
}

WRAP(int, MPI_Abort, (MPI_Comm comm, int code)) {
  ENTER(MPI_Abort);
  (void)comm;
  refuse("the program gives up with error %d", code);
}

#define SEND_ARGUMENTS const void *buf, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm
#define RECEIVE_ARGUMENTS void *buf, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm

#define BLOCKING_SEND(name)                                                  \
  WRAP(int, name, (SEND_ARGUMENTS)) {                                        \
    ENTER(name);                                                             \
    const int error = __real_##name(buf, count, type, peer, tag, comm);      \
    if (error == MPI_SUCCESS) message("send", count, type, peer, tag, comm); \
    return ended(error);                                                     \
  }
BLOCKING_SEND(MPI_Send)
BLOCKING_SEND(MPI_Ssend)
BLOCKING_SEND(MPI_Rsend)

WRAP(int, MPI_Bsend, (SEND_ARGUMENTS)) {
  ENTER(MPI_Bsend);
  const int error = __real_MPI_Bsend(buf, count, type, peer, tag, comm);
  if (error == MPI_SUCCESS) begin_message(is_send, 1, count, type, peer, tag, comm, MPI_REQUEST_NULL);
  return ended(error);
}

/// MPI_Isend and its like begin a message, MPI_Send_init and its like make a persistent request of it.
#define REQUEST_CALL(name, arguments, keeps, kind, buffered)                                 \
  WRAP(int, name, (arguments, MPI_Request * request)) {                                      \
    ENTER(name);                                                                             \
    const int error = __real_##name(buf, count, type, peer, tag, comm, request);             \
    if (error == MPI_SUCCESS) keeps(kind, buffered, count, type, peer, tag, comm, *request); \
    return ended(error);                                                                     \
  }
REQUEST_CALL(MPI_Isend, SEND_ARGUMENTS, begin_message, is_send, 0)
REQUEST_CALL(MPI_Issend, SEND_ARGUMENTS, begin_message, is_send, 0)
REQUEST_CALL(MPI_Irsend, SEND_ARGUMENTS, begin_message, is_send, 0)
REQUEST_CALL(MPI_Ibsend, SEND_ARGUMENTS, begin_message, is_send, 1)
REQUEST_CALL(MPI_Irecv, RECEIVE_ARGUMENTS, begin_message, is_receive, 0)
REQUEST_CALL(MPI_Send_init, SEND_ARGUMENTS, make_persistent, is_send, 0)
REQUEST_CALL(MPI_Ssend_init, SEND_ARGUMENTS, make_persistent, is_send, 0)
REQUEST_CALL(MPI_Rsend_init, SEND_ARGUMENTS, make_persistent, is_send, 0)
REQUEST_CALL(MPI_Bsend_init, SEND_ARGUMENTS, make_persistent, is_send, 1)
REQUEST_CALL(MPI_Recv_init, RECEIVE_ARGUMENTS, make_persistent, is_receive, 0)

WRAP(int, MPI_Recv, (RECEIVE_ARGUMENTS, MPI_Status* status)) {
  ENTER(MPI_Recv);
  MPI_Status mine;
  if (status == MPI_STATUS_IGNORE) status = &mine;
  const int error = __real_MPI_Recv(buf, count, type, peer, tag, comm, status);
  if (error == MPI_SUCCESS && peer != MPI_PROC_NULL) {
    struct Request receive = new_message(is_receive, 0, count, type, peer, tag, comm);
    resolve(&receive, status);
    put_computed();
    put("recv");
    put_message(receive.communicator, receive.peer, receive.tag, receive.bytes);
  }
  return ended(error);
}

/// A receive and a send started together, both waited for.
static void exchange(struct Request receive, struct Request send, const MPI_Status* status) {
  int64_t ids[2];
  size_t number = 0;
  if (receive.peer != MPI_PROC_NULL) {
    resolve(&receive, status);
    ids[number++] = begin(&receive);
  }
  if (send.peer != MPI_PROC_NULL) ids[number++] = begin(&send);
  put_done(ids, number);
}

WRAP(int, MPI_Sendrecv,
     (const void* out, int out_count, MPI_Datatype out_type, int to, int out_tag, void* in, int in_count,
      MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm, MPI_Status* status)) {
  ENTER(MPI_Sendrecv);
  MPI_Status mine;
  if (status == MPI_STATUS_IGNORE) status = &mine;
  const int error = __real_MPI_Sendrecv(out, out_count, out_type, to, out_tag, in, in_count, in_type, from,
                                        in_tag, comm, status);
  if (error == MPI_SUCCESS)
    exchange(new_message(is_receive, 0, in_count, in_type, from, in_tag, comm),
             new_message(is_send, 0, out_count, out_type, to, out_tag, comm), status);
  return ended(error);
}

WRAP(int, MPI_Sendrecv_replace,
     (void* buf, int count, MPI_Datatype type, int to, int out_tag, int from, int in_tag, MPI_Comm comm,
      MPI_Status* status)) {
  ENTER(MPI_Sendrecv_replace);
  MPI_Status mine;
  if (status == MPI_STATUS_IGNORE) status = &mine;
  const int error = __real_MPI_Sendrecv_replace(buf, count, type, to, out_tag, from, in_tag, comm, status);
  if (error == MPI_SUCCESS)
    exchange(new_message(is_receive, 0, count, type, from, in_tag, comm),
             new_message(is_send, 0, count, type, to, out_tag, comm), status);
  return ended(error);
}

WRAP(int, MPI_Start, (MPI_Request * handle)) {
  ENTER(MPI_Start);
  struct Request* request = find(*handle);
  const int error = __real_MPI_Start(handle);
  if (error == MPI_SUCCESS && request != NULL) start(request);
  return ended(error);
}

WRAP(int, MPI_Startall, (int count, MPI_Request* handles)) {
  ENTER(MPI_Startall);
  struct Completion these = completion_of(count, handles, MPI_STATUSES_IGNORE);
  const int error = __real_MPI_Startall(count, handles);
  for (int at = 0; error == MPI_SUCCESS && at < count; ++at) {
    if (these.requests[at] != NULL) start(these.requests[at]);
  }
  release(&these);
  return ended(error);
}

WRAP(int, MPI_Request_free, (MPI_Request * handle)) {
  ENTER(MPI_Request_free);
  struct Request* request = find(*handle);
  if (request != NULL && request->active && request->kind != is_send)
    refuse("nobody waits for the request, and a trace has to");
  const int error = __real_MPI_Request_free(handle);
  if (request != NULL) forget(request);
  return ended(error);
}

WRAP(int, MPI_Cancel, (MPI_Request * handle)) {
  ENTER(MPI_Cancel);
  struct Request* request = find(*handle);
  if (request != NULL && request->kind != is_receive) refuse("only a receive can be taken back");
  if (request != NULL) request->cancelled = 1;
  return ended(__real_MPI_Cancel(handle));
}

WRAP(int, MPI_Wait, (MPI_Request * handle, MPI_Status* status)) {
  ENTER(MPI_Wait);
  struct Completion these = completion_of(1, handle, status);
  const int error = __real_MPI_Wait(handle, these.statuses);
  if (error == MPI_SUCCESS) complete_all(&these, 1, NULL, 1);
  release(&these);
  return ended(error);
}

WRAP(int, MPI_Test, (MPI_Request * handle, int* flag, MPI_Status* status)) {
  ENTER(MPI_Test);
  struct Completion these = completion_of(1, handle, status);
  const int error = __real_MPI_Test(handle, flag, these.statuses);
  if (error == MPI_SUCCESS && *flag) complete_all(&these, 1, NULL, 1);
  release(&these);
  return ended(error);
}

WRAP(int, MPI_Request_get_status, (MPI_Request handle, int* flag, MPI_Status* status)) {
  ENTER(MPI_Request_get_status);
  struct Completion these = completion_of(1, &handle, status);
  const int error = __real_MPI_Request_get_status(handle, flag, these.statuses);
  if (error == MPI_SUCCESS && *flag) complete_all(&these, 1, NULL, 0);
  release(&these);
  return ended(error);
}

WRAP(int, MPI_Waitall, (int count, MPI_Request* handles, MPI_Status* statuses)) {
  ENTER(MPI_Waitall);
  struct Completion these = completion_of(count, handles, statuses);
  const int error = __real_MPI_Waitall(count, handles, these.statuses);
  if (error == MPI_SUCCESS) complete_all(&these, count, NULL, 1);
  release(&these);
  return ended(error);
}

WRAP(int, MPI_Testall, (int count, MPI_Request* handles, int* flag, MPI_Status* statuses)) {
  ENTER(MPI_Testall);
  struct Completion these = completion_of(count, handles, statuses);
  const int error = __real_MPI_Testall(count, handles, flag, these.statuses);
  if (error == MPI_SUCCESS && *flag) complete_all(&these, count, NULL, 1);
  release(&these);
  return ended(error);
}

WRAP(int, MPI_Waitany, (int count, MPI_Request* handles, int* index, MPI_Status* status)) {
  ENTER(MPI_Waitany);
  MPI_Status mine;
  struct Completion these = completion_of(count, handles, status == MPI_STATUS_IGNORE ? &mine : status);
  const int error = __real_MPI_Waitany(count, handles, index, these.statuses);
  if (error == MPI_SUCCESS && *index != MPI_UNDEFINED) complete_all(&these, 1, index, 1);
  release(&these);
  return ended(error);
}

WRAP(int, MPI_Testany, (int count, MPI_Request* handles, int* index, int* flag, MPI_Status* status)) {
  ENTER(MPI_Testany);
  MPI_Status mine;
  struct Completion these = completion_of(count, handles, status == MPI_STATUS_IGNORE ? &mine : status);
  const int error = __real_MPI_Testany(count, handles, index, flag, these.statuses);
  if (error == MPI_SUCCESS && *flag && *index != MPI_UNDEFINED) complete_all(&these, 1, index, 1);
  release(&these);
  return ended(error);
}

#define SOME(name)                                                                                      \
  WRAP(int, name, (int count, MPI_Request* handles, int* number, int* indices, MPI_Status* statuses)) { \
    ENTER(name);                                                                                        \
    struct Completion these = completion_of(count, handles, statuses);                                  \
    const int error = __real_##name(count, handles, number, indices, these.statuses);                   \
    if (error == MPI_SUCCESS && *number != MPI_UNDEFINED) complete_all(&these, *number, indices, 1);    \
    release(&these);                                                                                    \
    return ended(error);                                                                                \
  }
SOME(MPI_Waitsome)
SOME(MPI_Testsome)

static void probed(const MPI_Status* status, MPI_Comm comm) {
  int bytes = 0;
  PMPI_Get_count(status, MPI_BYTE, &bytes);
  message("probe", bytes, MPI_BYTE, status->MPI_SOURCE, status->MPI_TAG, comm);
}

WRAP(int, MPI_Probe, (int peer, int tag, MPI_Comm comm, MPI_Status* status)) {
  ENTER(MPI_Probe);
  MPI_Status mine;
  if (status == MPI_STATUS_IGNORE) status = &mine;
  const int error = __real_MPI_Probe(peer, tag, comm, status);
  if (error == MPI_SUCCESS && peer != MPI_PROC_NULL) probed(status, comm);
  return ended(error);
}

WRAP(int, MPI_Iprobe, (int peer, int tag, MPI_Comm comm, int* flag, MPI_Status* status)) {
  ENTER(MPI_Iprobe);
  MPI_Status mine;
  if (status == MPI_STATUS_IGNORE) status = &mine;
  const int error = __real_MPI_Iprobe(peer, tag, comm, flag, status);
  if (error == MPI_SUCCESS && *flag && peer != MPI_PROC_NULL) probed(status, comm);
  return ended(error);
}

WRAP(int, MPI_Buffer_detach, (void* buffer, int* size)) {
  ENTER(MPI_Buffer_detach);
  const int error = __real_MPI_Buffer_detach(buffer, size);
  put_done(self.buffered, self.buffered_used);
  self.buffered_used = 0;
  return ended(error);
}

// Collective operations: the operation, its communicator and its numbers; `request` NULL for one that blocks.

static const struct Communicator* collective(MPI_Request* request, const char* word, MPI_Comm comm) {
  struct Communicator* in = known(comm);
  put_computed();
  if (request != NULL) {
    struct Request made = {.kind = is_collective, .active = 1, .id = ++self.ids, .communicator = in};
    // A handle that SMPI has not made stands for an operation that is over.
    if (keep(*request, made) == NULL) refuse("SMPI has no request for the operation");
    put("start %lld ", (long long)self.ids);
  }
  put("%s %lld", word, (long long)in->name);
  return in;
}

static void put_size(uint64_t bytes) {
  put(" %llu", (unsigned long long)checked_bytes(bytes));
}

static int is_root(MPI_Comm comm, int root) {
  int me;
  PMPI_Comm_rank(comm, &me);
  return me == root;
}

WRAP(int, MPI_Barrier, (MPI_Comm comm)) {
  ENTER(MPI_Barrier);
  const int error = __real_MPI_Barrier(comm);
  if (error == MPI_SUCCESS) {
    collective(NULL, "barrier", comm);
    end_line();
  }
  return ended(error);
}

/// word COMMUNICATOR [ROOT] BYTES
static void uniform(MPI_Request* request, const char* word, int root, uint64_t bytes, MPI_Comm comm) {
  collective(request, word, comm);
  if (root >= 0) put(" %d", root);
  put_size(bytes);
  end_line();
}

/// A blocking call and its sister that returns a request.
#define BOTH(name, sister, parameters, arguments, record)        \
  WRAP(int, name, (NAMES parameters)) {                          \
    ENTER(name);                                                 \
    MPI_Request* const request = NULL;                           \
    const int error = __real_##name(NAMES arguments);            \
    if (error == MPI_SUCCESS) record;                            \
    return ended(error);                                         \
  }                                                              \
  WRAP(int, sister, (NAMES parameters, MPI_Request * request)) { \
    ENTER(sister);                                               \
    const int error = __real_##sister(NAMES arguments, request); \
    if (error == MPI_SUCCESS) record;                            \
    return ended(error);                                         \
  }
#define NAMES(...) __VA_ARGS__

BOTH(MPI_Bcast, MPI_Ibcast, (void* buf, int count, MPI_Datatype type, int root, MPI_Comm comm),
     (buf, count, type, root, comm), uniform(request, "bcast", root, bytes_of(count, type), comm))

BOTH(MPI_Reduce, MPI_Ireduce,
     (const void* out, void* in, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm),
     (out, in, count, type, op, root, comm), uniform(request, "reduce", root, bytes_of(count, type), comm))

#define GATHER_ARGUMENTS \
  const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count, MPI_Datatype in_type

BOTH(MPI_Alltoall, MPI_Ialltoall, (GATHER_ARGUMENTS, MPI_Comm comm),
     (out, out_count, out_type, in, in_count, in_type, comm),
     uniform(request, "alltoall", unknown, bytes_of(in_count, in_type), comm))

BOTH(MPI_Allgather, MPI_Iallgather, (GATHER_ARGUMENTS, MPI_Comm comm),
     (out, out_count, out_type, in, in_count, in_type, comm),
     uniform(request, "allgather", unknown, bytes_of(in_count, in_type), comm))

BOTH(MPI_Gather, MPI_Igather, (GATHER_ARGUMENTS, int root, MPI_Comm comm),
     (out, out_count, out_type, in, in_count, in_type, root, comm),
     uniform(request, "gather", root,
             is_root(comm, root) ? bytes_of(in_count, in_type) : bytes_of(out_count, out_type), comm))

BOTH(MPI_Scatter, MPI_Iscatter, (GATHER_ARGUMENTS, int root, MPI_Comm comm),
     (out, out_count, out_type, in, in_count, in_type, root, comm),
     uniform(request, "scatter", root,
             is_root(comm, root) ? bytes_of(out_count, out_type) : bytes_of(in_count, in_type), comm))

/// word COMMUNICATOR ROOT, then at the root the bytes of every member, elsewhere one's own.
static void rooted(MPI_Request* request, const char* word, int root, const int* counts,
                   MPI_Datatype type_at_root, int count, MPI_Datatype type, MPI_Comm comm) {
  const struct Communicator* in = collective(request, word, comm);
  put(" %d", root);
  if (is_root(comm, root)) {
    for (int member = 0; member < in->size; ++member) put_size(bytes_of(counts[member], type_at_root));
  } else {
    put_size(bytes_of(count, type));
  }
  end_line();
}

BOTH(MPI_Gatherv, MPI_Igatherv,
     (const void* out, int out_count, MPI_Datatype out_type, void* in, const int* counts, const int* places,
      MPI_Datatype in_type, int root, MPI_Comm comm),
     (out, out_count, out_type, in, counts, places, in_type, root, comm),
     rooted(request, "gatherv", root, counts, in_type, out_count, out_type, comm))

BOTH(MPI_Scatterv, MPI_Iscatterv,
     (const void* out, const int* counts, const int* places, MPI_Datatype out_type, void* in, int in_count,
      MPI_Datatype in_type, int root, MPI_Comm comm),
     (out, counts, places, out_type, in, in_count, in_type, root, comm),
     rooted(request, "scatterv", root, counts, out_type, in_count, in_type, comm))

/// word COMMUNICATOR and the bytes of every member.
static void counted(MPI_Request* request, const char* word, const int* counts, MPI_Datatype type,
                    MPI_Comm comm) {
  const struct Communicator* in = collective(request, word, comm);
  for (int member = 0; member < in->size; ++member) put_size(bytes_of(counts[member], type));
  end_line();
}

BOTH(MPI_Allgatherv, MPI_Iallgatherv,
     (const void* out, int out_count, MPI_Datatype out_type, void* in, const int* counts, const int* places,
      MPI_Datatype in_type, MPI_Comm comm),
     (out, out_count, out_type, in, counts, places, in_type, comm),
     counted(request, "allgatherv", counts, in_type, comm))

/// alltoallv COMMUNICATOR, the bytes to every member, the bytes from every member.
static void all_to_all(MPI_Request* request, const void* out, const int* out_counts,
                       const MPI_Datatype* out_types, const int* in_counts, const MPI_Datatype* in_types,
                       int types, MPI_Comm comm) {
  const struct Communicator* in = collective(request, "alltoallv", comm);
  const int in_place = out == MPI_IN_PLACE;
  const int* to = in_place ? in_counts : out_counts;
  const MPI_Datatype* to_types = in_place ? in_types : out_types;
  for (int member = 0; member < in->size; ++member)
    put_size(bytes_of(to[member], to_types[types ? member : 0]));
  for (int member = 0; member < in->size; ++member)
    put_size(bytes_of(in_counts[member], in_types[types ? member : 0]));
  end_line();
}

BOTH(MPI_Alltoallv, MPI_Ialltoallv,
     (const void* out, const int* out_counts, const int* out_places, MPI_Datatype out_type, void* in,
      const int* in_counts, const int* in_places, MPI_Datatype in_type, MPI_Comm comm),
     (out, out_counts, out_places, out_type, in, in_counts, in_places, in_type, comm),
     all_to_all(request, out, out_counts, &out_type, in_counts, &in_type, 0, comm))

BOTH(MPI_Alltoallw, MPI_Ialltoallw,
     (const void* out, const int* out_counts, const int* out_places, const MPI_Datatype* out_types, void* in,
      const int* in_counts, const int* in_places, const MPI_Datatype* in_types, MPI_Comm comm),
     (out, out_counts, out_places, out_types, in, in_counts, in_places, in_types, comm),
     all_to_all(request, out, out_counts, out_types, in_counts, in_types, 1, comm))

#define COMBINE(name, word)                                                                              \
  WRAP(int, name, (const void* out, void* in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)) { \
    ENTER(name);                                                                                         \
    const int error = __real_##name(out, in, count, type, op, comm);                                     \
    if (error == MPI_SUCCESS) uniform(NULL, word, unknown, bytes_of(count, type), comm);                 \
    return ended(error);                                                                                 \
  }
COMBINE(MPI_Allreduce, "allreduce")
COMBINE(MPI_Scan, "scan")
COMBINE(MPI_Exscan, "scan")
COMBINE(MPI_Reduce_scatter_block, "reduce_scatter_block")

WRAP(int, MPI_Reduce_scatter,
     (const void* out, void* in, const int* counts, MPI_Datatype type, MPI_Op op, MPI_Comm comm)) {
  ENTER(MPI_Reduce_scatter);
  const int error = __real_MPI_Reduce_scatter(out, in, counts, type, op, comm);
  if (error == MPI_SUCCESS) counted(NULL, "reduce_scatter", counts, type, comm);
  return ended(error);
}

// Communicators: making one costs nothing in the trace.

#define MAKES_COMMUNICATOR(name, parameters, arguments)     \
  WRAP(int, name, (NAMES parameters, MPI_Comm * made)) {    \
    ENTER(name);                                            \
    const int error = __real_##name(NAMES arguments, made); \
    if (error == MPI_SUCCESS) adopt(*made);                 \
    return ended(error);                                    \
  }
MAKES_COMMUNICATOR(MPI_Comm_dup, (MPI_Comm comm), (comm))
MAKES_COMMUNICATOR(MPI_Comm_dup_with_info, (MPI_Comm comm, MPI_Info info), (comm, info))
MAKES_COMMUNICATOR(MPI_Comm_create, (MPI_Comm comm, MPI_Group group), (comm, group))
MAKES_COMMUNICATOR(MPI_Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag), (comm, group, tag))
MAKES_COMMUNICATOR(MPI_Comm_split, (MPI_Comm comm, int color, int key), (comm, color, key))
MAKES_COMMUNICATOR(MPI_Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info),
                   (comm, type, key, info))
MAKES_COMMUNICATOR(MPI_Cart_create,
                   (MPI_Comm comm, int dimensions, const int* lengths, const int* periodic, int reorder),
                   (comm, dimensions, lengths, periodic, reorder))
MAKES_COMMUNICATOR(MPI_Cart_sub, (MPI_Comm comm, const int* remain), (comm, remain))

#define ENDS_COMMUNICATOR(name)        \
  WRAP(int, name, (MPI_Comm * comm)) { \
    ENTER(name);                       \
    forget_communicator(*comm);        \
    return ended(__real_##name(comm)); \
  }
ENDS_COMMUNICATOR(MPI_Comm_free)
ENDS_COMMUNICATOR(MPI_Comm_disconnect)

// Time: what the program says or sleeps is computed, 1 ns a flop. Other ranks run in calls that ask for the
// time, so that these stop the recorder's clock.

WRAP(void, smpi_execute_flops, (double flops)) {
  ENTER(smpi_execute_flops);
  compute(flops);
  __real_smpi_execute_flops(flops);
  leave();
}

WRAP(void, smpi_execute_flops_benched, (double flops)) {
  ENTER(smpi_execute_flops_benched);
  compute(flops);
  __real_smpi_execute_flops_benched(flops);
  leave();
}

WRAP(void, smpi_execute, (double seconds)) {
  ENTER(smpi_execute);
  compute(1e9 * seconds);
  __real_smpi_execute(seconds);
  leave();
}

WRAP(void, smpi_execute_benched, (double seconds)) {
  ENTER(smpi_execute_benched);
  compute(1e9 * seconds);
  __real_smpi_execute_benched(seconds);
  leave();
}

WRAP(unsigned, smpi_sleep, (unsigned seconds)) {
  ENTER(sleep);
  compute(1e9 * seconds);
  const unsigned left = __real_smpi_sleep(seconds);
  leave();
  return left;
}

WRAP(int, smpi_usleep, (useconds_t microseconds)) {
  ENTER(usleep);
  compute(1e3 * microseconds);
  const int error = __real_smpi_usleep(microseconds);
  leave();
  return error;
}

WRAP(int, smpi_nanosleep, (const struct timespec* span, struct timespec* left)) {
  ENTER(nanosleep);
  compute(1e9 * (double)span->tv_sec + (double)span->tv_nsec);
  const int error = __real_smpi_nanosleep(span, left);
  leave();
  return error;
}

WRAP(double, MPI_Wtime, (void)) {
  ENTER(MPI_Wtime);
  const double seconds = __real_MPI_Wtime();
  leave();
  return seconds;
}

WRAP(int, smpi_gettimeofday, (struct timeval * now, struct timezone* zone)) {
  ENTER(gettimeofday);
  const int error = __real_smpi_gettimeofday(now, zone);
  leave();
  return error;
}

WRAP(int, smpi_clock_gettime, (clockid_t clock, struct timespec* now)) {
  ENTER(clock_gettime);
  const int error = __real_smpi_clock_gettime(clock, now);
  leave();
  return error;
}

// A program's own timers: record_trace gives timer_clear, timer_start and timer_stop of C and Fortran
// functions that call this one. `does`: clear, begin, end. What was timed before the last clear is no
// section.

void tsuji_timer(const char* call, int number, const char* does, void* from);
void tsuji_timer(const char* call, int number, const char* does, void* from) {
  enter(call, from);
  if (self.has_timer && number == self.timer && self.rank != unknown) {
    const int clears = does[0] == 'c', starts = does[0] == 'b';
    if (!clears && self.section != (starts ? before_section : in_section))
      refuse("timer %d %s", number, starts ? "starts again without a clear" : "stops, and does not run");
    put_computed();
    put("section %s", does);
    end_line();
    self.section = clears ? before_section : starts ? in_section : after_section;
  }
  leave();
}

// All other calls that are not in free_calls.txt: record_trace gives each a function that calls this one.

_Noreturn void tsuji_refuse_call(const char* call, void* from);
_Noreturn void tsuji_refuse_call(const char* call, void* from) {
  enter(call, from);
  refuse("a call that a trace cannot express; scripts/handbook.d/topics/recording.md lists those that it can");
}
