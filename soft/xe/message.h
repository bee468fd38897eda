/* message.h - what a message to memory asks for, whatever the unit that it is sent to. */
#ifndef XETILE_SOFT_XE_MESSAGE_H
#define XETILE_SOFT_XE_MESSAGE_H

#include "machine.h"

/* clang-format off */
enum xe_memory_operation { /* numbered as by the load-store unit: stores from XE_STORE on, atomics from XE_INCREMENT */
    XE_LOAD, XE_LOAD_MASK = 2, XE_LOAD_2D, XE_STORE, XE_STORE_MASK = 6, XE_STORE_2D, XE_INCREMENT, XE_DECREMENT,
    XE_ATOMIC_LOAD, XE_ATOMIC_STORE, XE_ADD, XE_SUBTRACT, XE_SMIN, XE_SMAX, XE_UMIN, XE_UMAX, XE_COMPARE_SWAP,
    XE_FADD, XE_FSUB, XE_FMIN, XE_FMAX, XE_FCOMPARE_SWAP, XE_AND, XE_OR, XE_XOR, XE_FENCE = 31, XE_NO_MESSAGE = 255
};
enum xe_memory { XE_GLOBAL, XE_PAYLOAD, XE_LOCAL, XE_SCRATCH, XE_BUFFER };
/* clang-format on */

enum { XE_HANDLE_SHIFT = 6, XE_DC0_SCRATCH = 18 }; /* of surfaces in address registers; the bit of a descriptor */

struct xe_message {
    uint32_t operation, address_bytes, bytes, slot; /* bytes in memory; in a register */
    uint32_t count, mask;                           /* elements per lane; of a vector of four, those that are moved */
    uint32_t lanes;                                 /* that have addresses */
    bool block;                                     /* elements follow each other in registers */
    bool is_load;
    enum xe_memory memory;
    uint64_t base;                      /* of a buffer */
    uint32_t payload, data, data_bytes; /* offsets in the file: addresses, data */
    uint32_t stride;                    /* between elements of a lane */
    uint32_t header;                    /* bytes of the payload before the addresses */
    uint32_t unit_of_address;           /* of what stands in the payload, in bytes */
    int64_t offset;                     /* with what a scalar register adds */
    bool signed_addresses;
    uint64_t addresses[MAX_LANES]; /* read before any write, as a load may overwrite their registers */
};

/* lsc.c and hdc.c read descriptors; those that are not supported end the launch, and the result is false. */
uint32_t xe_lsc_operation(const struct xe_instruction *i);
bool xe_lsc_read(struct xe_thread *t, const struct xe_instruction *i, struct xe_message *m);
uint32_t xe_hdc_operation(const struct xe_instruction *i); /* XE_NO_MESSAGE: unknown */
bool xe_hdc_read(struct xe_thread *t, const struct xe_instruction *i, struct xe_message *m);
/* surfaces.c finds the memory of a message that names a surface: by its number in the binding table or one that always
 * means the same, or by what is in an address register. One that names none keeps what is in m->memory. */
bool xe_surface_by_number(struct xe_thread *t, const struct xe_instruction *i, uint32_t number, struct xe_message *m);
bool xe_surface_by_address(struct xe_thread *t, const struct xe_instruction *i, struct xe_message *m);

#endif
