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

XETILE_PRIVATE const char *zed_driver_text_(ze_driver_handle_t driver);
XETILE_PRIVATE ZED_PRINTF_(3, 4) bool zed_fail_(zed_device *d, int id, const char *format, ...);
XETILE_PRIVATE ZED_PRINTF_(4, 5) bool zed_check_(zed_device *d, ze_result_t result, const char *call,
            const char *format, ...);

XETILE_PRIVATE bool zed_usable_(zed_device *d);
XETILE_PRIVATE double zed_tick_ns_from_(uint64_t old_meaning, uint64_t new_meaning);
XETILE_PRIVATE bool zed_await_event_(zed_device *d, const char *what, double *ns);
XETILE_PRIVATE bool zed_settle_(zed_device *d);
XETILE_PRIVATE bool zed_keep_(zed_device *d, int kind, void *handle, size_t bytes);
XETILE_PRIVATE ptrdiff_t zed_find_(const zed_device *d, int kind, const void *handle);
XETILE_PRIVATE bool zed_destroy_(zed_device *d, const zed_resource_ *r);
XETILE_PRIVATE bool zed_drop_(zed_device *d, int kind, void *handle);
XETILE_PRIVATE bool zed_release_(zed_device *d, int kind, void *handle, const char *file, int line);

typedef struct zed_target_row_ {
    const char *name;
    bool dpas, block2d;
} zed_target_row_;

XETILE_PRIVATE const zed_target_row_ *zed_target_row_of_(const char *name);
XETILE_PRIVATE const char *zed_target_name_(uint32_t vendor_id, uint32_t device_id, const char *name);
XETILE_PRIVATE void zed_fill_target_(zed_target *t, const ze_device_properties_t *p,
                                     const ze_device_compute_properties_t *c, const ze_device_module_properties_t *m);
XETILE_PRIVATE bool zed_name_drivers_(zed_device *d);

typedef struct zed_candidate_ {
    ze_driver_handle_t driver;
    ze_device_handle_t device;
    int rank;
    bool gpu, software;
    uint32_t vendor_id, device_id;
    char name[ZE_MAX_DEVICE_NAME];
} zed_candidate_;

XETILE_PRIVATE bool zed_enumerate_(zed_device *d, zed_candidate_ *all, int *count);
XETILE_PRIVATE int zed_choose_(zed_device *d, const zed_options *o, const zed_candidate_ *all, int count);
XETILE_PRIVATE bool zed_in_range_(zed_device *d, const char *what, const void *p, size_t bytes);
XETILE_PRIVATE bool zed_parse_params_(zed_device *d, const char *kernel, const char *text, zed_param *params,
                                      uint32_t *count);
XETILE_PRIVATE const char *zed_param_name_(const zed_param *p, char *text, size_t size);

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

XETILE_PRIVATE bool zed_bind_(const zed_kernel *k, const zed_arg *a, uint32_t i, zed_bound_ *b);
XETILE_PRIVATE bool zed_kernel_usable_(zed_kernel *k, const char *file, int line);
XETILE_PRIVATE bool zed_batch_is_(zed_batch *b, int state, const char *call);
