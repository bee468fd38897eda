/* internal.h - declarations shared by the bodies of ze_dispatch.h only. */
#define XETILE_SEPARATE_
#include "../ze_dispatch.h"

/* Zeroes a Level Zero structure and sets its type. */
#define ZED_CLEAR_(s, type) (memset(&(s), 0, sizeof(s)), (void)((s).stype = ZE_STRUCTURE_TYPE_##type))
/* A Level Zero call whose arguments need not appear in the error. */
#define ZED_CALL_(d, call, args) zed_check_((d), call args, #call, "%s", "")
/* Formats three uint32_t in an error. */
#define ZED_XYZ_ "%" PRIu32 " x %" PRIu32 " x %" PRIu32

enum { ZED_RES_MEMORY_, ZED_RES_MODULE_, ZED_RES_KERNEL_, ZED_RES_LIST_ };
enum { ZED_BATCH_NONE_, ZED_BATCH_OPEN_, ZED_BATCH_CLOSED_ };

XETILE_PRIVATE ZED_PRINTF_(3, 4) bool zed_fail_(zed_device *d, int id, const char *format, ...);
XETILE_PRIVATE ZED_PRINTF_(4, 5) bool zed_check_(zed_device *d, ze_result_t result, const char *call,
            const char *format, ...);

typedef struct zed_target_row_ {
    const char *name;
    bool dpas, block2d;
} zed_target_row_;

typedef struct zed_candidate_ {
    ze_driver_handle_t driver;
    ze_device_handle_t device;
    int rank;
    bool gpu, software;
    uint32_t vendor_id, device_id;
    char name[ZE_MAX_DEVICE_NAME];
} zed_candidate_;

/* An argument ready for zeKernelSetArgumentValue. */
typedef struct zed_bound_ {
    size_t size;
    bool no_value; /* local memory, or a null pointer */
    union {
        uint64_t u;
        uint8_t bytes[8];
        const void *p;
        double f64;
        float f32;
        uint32_t u32;
        uint16_t u16;
        uint8_t u8;
    } as;
} zed_bound_;

#include "prototypes.h"
