// SPDX-License-Identifier: Apache-2.0
// Fortran's calls of MPI as C's, which the recorder wraps: each converts its handles and calls the C
// function. record_trace links it into programs with Fortran sources and resolves their calls of mpi_x_ to
// __wrap_mpi_x_. Requests are numbers of a table here, since SMPI's own keeps a request's number after the
// request is gone.

#include <mpi.h>
#include <stdlib.h>

// Where the program's call returns to, for messages; recorder.c has it.
extern void* tsuji_called_from;
_Noreturn void tsuji_refuse_call(const char* call, void* from);

// Arguments with a meaning by their address, SMPI's.
extern int mpi_bottom_, mpi_in_place_, mpi_status_ignore_, mpi_statuses_ignore_;

enum { no_request = -1 };

static struct {
  MPI_Request* handles;
  int* unused;  ///< numbers, a stack
  int room, free;
} requests;

static MPI_Fint number_of(MPI_Request handle) {
  if (handle == MPI_REQUEST_NULL) return no_request;
  if (requests.free == 0) {
    const int room = 2 * requests.room + 64;
    requests.handles = realloc(requests.handles, sizeof(MPI_Request) * (size_t)room);
    requests.unused = realloc(requests.unused, sizeof(int) * (size_t)room);
    if (requests.handles == NULL || requests.unused == NULL) abort();
    for (int number = room; number-- > requests.room;) requests.unused[requests.free++] = number;
    requests.room = room;
  }
  const int number = requests.unused[--requests.free];
  requests.handles[number] = handle;
  return number;
}

static MPI_Request request_of(MPI_Fint number) {
  return number == no_request ? MPI_REQUEST_NULL : requests.handles[number];
}

/// After a call that may have completed the request.
static void settle(MPI_Fint* number, MPI_Request handle) {
  if (*number == no_request || handle != MPI_REQUEST_NULL) return;
  requests.unused[requests.free++] = *number;
  *number = no_request;
}

static MPI_Request* requests_of(int count, const MPI_Fint* numbers) {
  MPI_Request* handles = malloc(sizeof(MPI_Request) * (size_t)(count > 0 ? count : 1));
  if (handles == NULL) abort();
  for (int at = 0; at < count; ++at) handles[at] = request_of(numbers[at]);
  return handles;
}

static void settle_all(int count, MPI_Fint* numbers, MPI_Request* handles) {
  for (int at = 0; at < count; ++at) settle(&numbers[at], handles[at]);
  free(handles);
}

static void* data(void* address) {
  if (address == (void*)&mpi_in_place_) return MPI_IN_PLACE;
  return address == (void*)&mpi_bottom_ ? MPI_BOTTOM : address;
}

/// A status is five integers in both languages.
static MPI_Status* status_of(MPI_Fint* status) {
  return status == &mpi_status_ignore_ ? MPI_STATUS_IGNORE : (MPI_Status*)status;
}
static MPI_Status* statuses_of(MPI_Fint* statuses) {
  return statuses == &mpi_statuses_ignore_ || statuses == &mpi_status_ignore_ ? MPI_STATUSES_IGNORE
                                                                              : (MPI_Status*)statuses;
}

static void from_one(int count, MPI_Fint* indices) {
  for (int at = 0; at < count; ++at) ++indices[at];
}

#define COMM MPI_Comm_f2c(*comm)
#define TYPE(type) MPI_Type_f2c(*type)
#define INT MPI_Fint*
#define FORTRAN(name, parameters) \
  void __wrap_##name parameters;  \
  void __wrap_##name parameters
/// Calls C's function and stores its error.
#define CALL(call)                                   \
  do {                                               \
    tsuji_called_from = __builtin_return_address(0); \
    *error = call;                                   \
    tsuji_called_from = NULL;                        \
  } while (0)

FORTRAN(mpi_init_, (INT error)) {
  CALL(MPI_Init(NULL, NULL));
}
FORTRAN(mpi_init_thread_, (INT required, INT provided, INT error)) {
  CALL(MPI_Init_thread(NULL, NULL, *required, provided));
}
FORTRAN(mpi_finalize_, (INT error)) {
  CALL(MPI_Finalize());
}
FORTRAN(mpi_abort_, (INT comm, INT code, INT error)) {
  CALL(MPI_Abort(COMM, *code));
}
double __wrap_mpi_wtime_(void);
double __wrap_mpi_wtime_(void) {
  return MPI_Wtime();
}

// Messages

#define SEND(name, call)                                                                  \
  FORTRAN(name, (void* buf, INT count, INT type, INT to, INT tag, INT comm, INT error)) { \
    CALL(call(data(buf), *count, TYPE(type), *to, *tag, COMM));                           \
  }
SEND(mpi_send_, MPI_Send)
SEND(mpi_ssend_, MPI_Ssend)
SEND(mpi_rsend_, MPI_Rsend)
SEND(mpi_bsend_, MPI_Bsend)

/// Of a message that begins, or a persistent one.
#define BEGIN(name, call)                                                                                \
  FORTRAN(name, (void* buf, INT count, INT type, INT peer, INT tag, INT comm, INT request, INT error)) { \
    MPI_Request handle = MPI_REQUEST_NULL;                                                               \
    CALL(call(data(buf), *count, TYPE(type), *peer, *tag, COMM, &handle));                               \
    *request = number_of(handle);                                                                        \
  }
BEGIN(mpi_isend_, MPI_Isend)
BEGIN(mpi_issend_, MPI_Issend)
BEGIN(mpi_irsend_, MPI_Irsend)
BEGIN(mpi_ibsend_, MPI_Ibsend)
BEGIN(mpi_irecv_, MPI_Irecv)
BEGIN(mpi_send_init_, MPI_Send_init)
BEGIN(mpi_ssend_init_, MPI_Ssend_init)
BEGIN(mpi_rsend_init_, MPI_Rsend_init)
BEGIN(mpi_bsend_init_, MPI_Bsend_init)
BEGIN(mpi_recv_init_, MPI_Recv_init)

FORTRAN(mpi_recv_, (void* buf, INT count, INT type, INT from, INT tag, INT comm, INT status, INT error)) {
  CALL(MPI_Recv(data(buf), *count, TYPE(type), *from, *tag, COMM, status_of(status)));
}
FORTRAN(mpi_sendrecv_, (void* out, INT out_count, INT out_type, INT to, INT out_tag, void* in, INT in_count,
                        INT in_type, INT from, INT in_tag, INT comm, INT status, INT error)) {
  CALL(MPI_Sendrecv(data(out), *out_count, TYPE(out_type), *to, *out_tag, data(in), *in_count, TYPE(in_type),
                    *from, *in_tag, COMM, status_of(status)));
}
FORTRAN(mpi_sendrecv_replace_, (void* buf, INT count, INT type, INT to, INT out_tag, INT from, INT in_tag,
                                INT comm, INT status, INT error)) {
  CALL(MPI_Sendrecv_replace(data(buf), *count, TYPE(type), *to, *out_tag, *from, *in_tag, COMM,
                            status_of(status)));
}
FORTRAN(mpi_probe_, (INT from, INT tag, INT comm, INT status, INT error)) {
  CALL(MPI_Probe(*from, *tag, COMM, status_of(status)));
}
FORTRAN(mpi_iprobe_, (INT from, INT tag, INT comm, INT flag, INT status, INT error)) {
  CALL(MPI_Iprobe(*from, *tag, COMM, flag, status_of(status)));
}

// Requests

#define OF_REQUEST(name, call)                 \
  FORTRAN(name, (INT request, INT error)) {    \
    MPI_Request handle = request_of(*request); \
    CALL(call(&handle));                       \
    settle(request, handle);                   \
  }
OF_REQUEST(mpi_start_, MPI_Start)
OF_REQUEST(mpi_cancel_, MPI_Cancel)
OF_REQUEST(mpi_request_free_, MPI_Request_free)

FORTRAN(mpi_startall_, (INT count, INT all, INT error)) {
  MPI_Request* handles = requests_of(*count, all);
  CALL(MPI_Startall(*count, handles));
  settle_all(*count, all, handles);
}
FORTRAN(mpi_wait_, (INT request, INT status, INT error)) {
  MPI_Request handle = request_of(*request);
  CALL(MPI_Wait(&handle, status_of(status)));
  settle(request, handle);
}
FORTRAN(mpi_test_, (INT request, INT flag, INT status, INT error)) {
  MPI_Request handle = request_of(*request);
  CALL(MPI_Test(&handle, flag, status_of(status)));
  settle(request, handle);
}
FORTRAN(mpi_request_get_status_, (INT request, INT flag, INT status, INT error)) {
  CALL(MPI_Request_get_status(request_of(*request), flag, status_of(status)));
}
FORTRAN(mpi_waitall_, (INT count, INT all, INT statuses, INT error)) {
  MPI_Request* handles = requests_of(*count, all);
  CALL(MPI_Waitall(*count, handles, statuses_of(statuses)));
  settle_all(*count, all, handles);
}
FORTRAN(mpi_testall_, (INT count, INT all, INT flag, INT statuses, INT error)) {
  MPI_Request* handles = requests_of(*count, all);
  CALL(MPI_Testall(*count, handles, flag, statuses_of(statuses)));
  settle_all(*count, all, handles);
}
FORTRAN(mpi_waitany_, (INT count, INT all, INT index, INT status, INT error)) {
  MPI_Request* handles = requests_of(*count, all);
  CALL(MPI_Waitany(*count, handles, index, status_of(status)));
  if (*index != MPI_UNDEFINED) from_one(1, index);
  settle_all(*count, all, handles);
}
FORTRAN(mpi_testany_, (INT count, INT all, INT index, INT flag, INT status, INT error)) {
  MPI_Request* handles = requests_of(*count, all);
  CALL(MPI_Testany(*count, handles, index, flag, status_of(status)));
  if (*flag != 0 && *index != MPI_UNDEFINED) from_one(1, index);
  settle_all(*count, all, handles);
}
#define OF_SOME(name, call)                                                               \
  FORTRAN(name, (INT count, INT all, INT number, INT indices, INT statuses, INT error)) { \
    MPI_Request* handles = requests_of(*count, all);                                      \
    CALL(call(*count, handles, number, indices, statuses_of(statuses)));                  \
    if (*number != MPI_UNDEFINED) from_one(*number, indices);                             \
    settle_all(*count, all, handles);                                                     \
  }
OF_SOME(mpi_waitsome_, MPI_Waitsome)
OF_SOME(mpi_testsome_, MPI_Testsome)

// Collective operations

FORTRAN(mpi_barrier_, (INT comm, INT error)) {
  CALL(MPI_Barrier(COMM));
}
FORTRAN(mpi_bcast_, (void* buf, INT count, INT type, INT root, INT comm, INT error)) {
  CALL(MPI_Bcast(data(buf), *count, TYPE(type), *root, COMM));
}
FORTRAN(mpi_reduce_, (void* out, void* in, INT count, INT type, INT op, INT root, INT comm, INT error)) {
  CALL(MPI_Reduce(data(out), data(in), *count, TYPE(type), MPI_Op_f2c(*op), *root, COMM));
}
#define REDUCTION(name, call)                                                              \
  FORTRAN(name, (void* out, void* in, INT count, INT type, INT op, INT comm, INT error)) { \
    CALL(call(data(out), data(in), *count, TYPE(type), MPI_Op_f2c(*op), COMM));            \
  }
REDUCTION(mpi_allreduce_, MPI_Allreduce)
REDUCTION(mpi_scan_, MPI_Scan)
REDUCTION(mpi_exscan_, MPI_Exscan)
REDUCTION(mpi_reduce_scatter_block_, MPI_Reduce_scatter_block)
FORTRAN(mpi_reduce_scatter_, (void* out, void* in, INT counts, INT type, INT op, INT comm, INT error)) {
  CALL(MPI_Reduce_scatter(data(out), data(in), counts, TYPE(type), MPI_Op_f2c(*op), COMM));
}
#define BLOCKS(name, call)                                                                              \
  FORTRAN(name, (void* out, INT out_count, INT out_type, void* in, INT in_count, INT in_type, INT comm, \
                 INT error)) {                                                                          \
    CALL(call(data(out), *out_count, TYPE(out_type), data(in), *in_count, TYPE(in_type), COMM));        \
  }
BLOCKS(mpi_alltoall_, MPI_Alltoall)
BLOCKS(mpi_allgather_, MPI_Allgather)
#define ROOTED(name, call)                                                                              \
  FORTRAN(name, (void* out, INT out_count, INT out_type, void* in, INT in_count, INT in_type, INT root, \
                 INT comm, INT error)) {                                                                \
    CALL(call(data(out), *out_count, TYPE(out_type), data(in), *in_count, TYPE(in_type), *root, COMM)); \
  }
ROOTED(mpi_gather_, MPI_Gather)
ROOTED(mpi_scatter_, MPI_Scatter)
FORTRAN(mpi_gatherv_, (void* out, INT out_count, INT out_type, void* in, INT in_counts, INT places,
                       INT in_type, INT root, INT comm, INT error)) {
  CALL(MPI_Gatherv(data(out), *out_count, TYPE(out_type), data(in), in_counts, places, TYPE(in_type), *root,
                   COMM));
}
FORTRAN(mpi_scatterv_, (void* out, INT out_counts, INT places, INT out_type, void* in, INT in_count,
                        INT in_type, INT root, INT comm, INT error)) {
  CALL(MPI_Scatterv(data(out), out_counts, places, TYPE(out_type), data(in), *in_count, TYPE(in_type), *root,
                    COMM));
}
FORTRAN(mpi_allgatherv_, (void* out, INT out_count, INT out_type, void* in, INT in_counts, INT places,
                          INT in_type, INT comm, INT error)) {
  CALL(MPI_Allgatherv(data(out), *out_count, TYPE(out_type), data(in), in_counts, places, TYPE(in_type),
                      COMM));
}
FORTRAN(mpi_alltoallv_, (void* out, INT out_counts, INT out_places, INT out_type, void* in, INT in_counts,
                         INT in_places, INT in_type, INT comm, INT error)) {
  CALL(MPI_Alltoallv(data(out), out_counts, out_places, TYPE(out_type), data(in), in_counts, in_places,
                     TYPE(in_type), COMM));
}

// Communicators

#define MAKES(call)                    \
  do {                                 \
    MPI_Comm made_one = MPI_COMM_NULL; \
    CALL(call);                        \
    *made = MPI_Comm_c2f(made_one);    \
  } while (0)

FORTRAN(mpi_comm_dup_, (INT comm, INT made, INT error)) {
  MAKES(MPI_Comm_dup(COMM, &made_one));
}
FORTRAN(mpi_comm_split_, (INT comm, INT color, INT key, INT made, INT error)) {
  MAKES(MPI_Comm_split(COMM, *color, *key, &made_one));
}
FORTRAN(mpi_comm_create_, (INT comm, INT group, INT made, INT error)) {
  MAKES(MPI_Comm_create(COMM, MPI_Group_f2c(*group), &made_one));
}
FORTRAN(mpi_cart_create_,
        (INT comm, INT dimensions, INT sizes, INT rings, INT reorder, INT made, INT error)) {
  MAKES(MPI_Cart_create(COMM, *dimensions, sizes, rings, *reorder, &made_one));
}
FORTRAN(mpi_cart_sub_, (INT comm, INT remain, INT made, INT error)) {
  MAKES(MPI_Cart_sub(COMM, remain, &made_one));
}
FORTRAN(mpi_comm_free_, (INT comm, INT error)) {
  MPI_Comm handle = COMM;
  CALL(MPI_Comm_free(&handle));
  if (handle == MPI_COMM_NULL) *comm = MPI_Comm_c2f(MPI_COMM_NULL);
}
FORTRAN(mpi_buffer_detach_, (void* buffer, INT size, INT error)) {
  void* detached;
  (void)buffer;  // which Fortran leaves as it is
  CALL(MPI_Buffer_detach(&detached, size));
}
