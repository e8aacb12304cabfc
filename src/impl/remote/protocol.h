/* The binary protocol between detcheck and a worker, detcheck-exec(7), which binds: it is stable.
 *
 * All numbers are little-endian. detcheck sends a header; the worker replies whether it is ready.
 * Then detcheck sends requests, one at a time, each answered before the next. */
#ifndef DETCHECK_IMPL_REMOTE_PROTOCOL_H
#define DETCHECK_IMPL_REMOTE_PROTOCOL_H

/* The header: "detcheck", then numbers of 4 bytes, then names of 32 bytes, filled with zeros; then
 * the text of the parameters, a line "name=value" for each. */
enum {
    PROTOCOL_VERSION = 1,
    HEADER_VERSION = 8,
    HEADER_OPERANDS = 12,
    HEADER_RESULTS = 16,
    HEADER_OPERAND_BYTES = 20,
    HEADER_RESULT_BYTES = 24,
    HEADER_TEXT = 28, /* length of the parameters' text */
    HEADER_OPERATION = 32,
    HEADER_FORMAT = 64,
    HEADER_RESULT_FORMAT = 96,
    HEADER_ROUNDING = 128,
    HEADER_SIZE = 160,
    PROTOCOL_NAME = 32
};
#define PROTOCOL_MAGIC "detcheck"

/* The reply: "detreply", a status, the length of a text; then the text: what the worker is, or why
 * it does not provide the operation. */
enum {
    REPLY_STATUS = 8,
    REPLY_TEXT = 12,
    REPLY_SIZE = 16,
    REPLY_READY = 0,
    REPLY_NOT_PROVIDED = 1,
    REPLY_BROKEN = 2,       /* only of the worker for lib: */
    REPLY_READY_ARRAYS = 3, /* for an operation on arrays, in place of REPLY_READY */
    REPLY_READY_TELLS = 3,  /* plus PROTOCOL_FLAGS and so on: below */
    MOST_REPLY_TEXT = 512,
    MOST_CONDITIONS_TEXT = 4096 /* of a reply that tells of conditions */
};
#define REPLY_MAGIC "detreply"

/* A request: its kind, how many inputs, the code of the first one of a range. A block is followed
 * by the codes: all of the first operand, all of the second, and so on. */
enum {
    REQUEST_KIND = 0,
    REQUEST_COUNT = 4,
    REQUEST_FIRST = 8,
    REQUEST_SIZE = 16,
    REQUEST_RANGE = 1,
    REQUEST_BLOCK = 2,
    REQUEST_SHARED = 3, /* only to the worker for lib: the codes lie in shared memory */
    REQUEST_CALL = 4,
    REQUEST_CONDITIONED = 5
};

/* The worker for lib: gets its requests numbered, and answers with the number in place of the count:
 * a SHARED one has it in the place of the first code, a CALL in the place of the count. */

/* Of an operation on arrays: the text of the header begins with a line "arrays=" and this version,
 * and the format of each operand and result. A request is of one call: in the place of the first
 * code stands how many bytes follow, which are the shape of each operand and of each result (the
 * number of dimensions and the bytes of a code in 4 bytes each, then so many extents, in 8 each,
 * the rest zeros), then the codes of the operands. The answer's count is 1. */
enum { PROTOCOL_ARRAYS = 1, SHAPE_BYTES = 4, SHAPE_EXTENTS = 8, SHAPE_SIZE = 72 };

/* Where exception flags or errno are asked for, the text of the header ends with a line "flags=1" or
 * "errno=1", or both. A worker that tells them says so by its status, and its answers have them behind
 * the codes, in a byte for each input: the flags raised (format/flags.h), those cleared; then the
 * enum errno_kind of oracle/flags.h. One that does not know of this replies REPLY_READY. */
enum { PROTOCOL_FLAGS = 1, PROTOCOL_ERRNO = 2, PROTOCOL_CONDITIONS = 4, PROTOCOL_LENGTHS = 8 };

/* Of an operation on texts the text of the header also has the line "lengths=1". A worker that tells any of the three says so by
 * its status, which is REPLY_READY_ARRAYS plus these, and its answers have them behind the codes, for each line of text:
 * line_bytes.h. */

/* Where conditions (impl/conditions.h) may be asked for, the text of the header ends with the line
 * "conditions=1" instead. A worker that knows of them says so by its status, and the text of its
 * reply has further lines: "conditions=" and the names of those that it can, "why=" and why not the
 * others, any number of "variant=" and NAME=VALUE, and "disturbed=" and what loading has
 * changed: "rounding", "flushing" (of subnormal numbers), both, or "1" where that is not told.
 *
 * A request of kind CONDITIONED has a number in the place of the first code, of which the answer has
 * the low 4 bytes in the place of the count. The conditions follow, of 4 bytes each but for the last;
 * then the codes, as those of a block. With traps the answer has a byte for each input behind the codes: the flags
 * by which its call was trapped that a call without traps does not raise. With left it has another
 * one then, which is 0 but for the first input of an array: what its call has left changed
 * (1 << enum change of platform/rounding_guard.h). */
enum {
    CONDITIONS_LENGTH = 0,
    CONDITIONS_OFFSET = 4,
    CONDITIONS_RESULT_OFFSET = 8,
    CONDITIONS_STRIDE = 12,
    CONDITIONS_THREADS = 16,
    CONDITIONS_ROUNDING = 20, /* 0 nearest-even, 1 toward-zero, 2 up, 3 down */
    CONDITIONS_BITS = 24,
    CONDITIONS_AROUND = 32, /* 8 bytes */
    CONDITIONS_SIZE = 40,
    CONDITIONS_IN_PLACE = 1,
    CONDITIONS_FLUSH_RESULTS = 2,
    CONDITIONS_FLUSH_OPERANDS = 4,
    CONDITIONS_FLAGS_SET = 8,
    CONDITIONS_TRAPS = 16,
    CONDITIONS_BY_NUMBER = 32,
    CONDITIONS_HAS_AROUND = 64,
    CONDITIONS_X87_24_BITS = 128,
    CONDITIONS_X87_53_BITS = 256,
    CONDITIONS_LEFT = 512
};

/* An answer: "answ", how many outputs, the codes (all of the first result, then all of the second),
 * "done". */
enum { ANSWER_COUNT = 4, ANSWER_SIZE = 8, ANSWER_END_SIZE = 4 };
#define ANSWER_MAGIC "answ"
#define ANSWER_END   "done"

/* Where some outputs were not written (impl/unwritten.h), of which a worker may tell since the text of
 * the header has the line "gaps=1": the answer begins with other letters. Behind "done" follow a byte for
 * each input, or one for a call on arrays, which is 1 where one of its outputs was not; and "done" again. */
#define ANSWER_MAGIC_GAPS "gaps"

/* Inputs in a request, at most. */
enum { PROTOCOL_BLOCK = 1 << 15 };

#endif
