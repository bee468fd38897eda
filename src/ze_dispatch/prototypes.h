/* prototypes.h - written by join.sh from the functions of ze_dispatch.h's sources. */
XE_FN_ bool zed_fail_alone_(int id, const char *call, const char *file, int line);
XE_FN_ const char *zed_driver_text_(ze_driver_handle_t driver);
XE_FN_ bool zed_usable_(zed_device *d);
XE_FN_ double zed_tick_ns_from_(uint64_t old_meaning, uint64_t new_meaning);
XE_FN_ bool zed_await_event_(zed_device *d, const char *what, double *ns);
XE_FN_ bool zed_settle_(zed_device *d);
XE_FN_ ptrdiff_t zed_find_(const zed_device *d, int kind, const void *handle);
XE_FN_ bool zed_destroy_(zed_device *d, const zed_resource_ *r);
XE_FN_ bool zed_keep_(zed_device *d, int kind, void *handle, size_t bytes);
XE_FN_ bool zed_drop_(zed_device *d, int kind, void *handle);
XE_FN_ bool zed_release_(zed_device *d, int kind, void *handle, const char *file, int line);
XE_FN_ const zed_target_row_ *zed_target_row_of_(const char *name);
XE_FN_ const char *zed_target_name_(uint32_t vendor_id, uint32_t device_id, const char *name);
XE_FN_ void zed_fill_target_(zed_target *t, const ze_device_properties_t *p, const ze_device_compute_properties_t *c,
    const ze_device_module_properties_t *m);
XE_FN_ bool zed_name_drivers_(zed_device *d);
XE_FN_ bool zed_name_drivers_(zed_device *d);
XE_FN_ bool zed_enumerate_(zed_device *d, zed_candidate_ *all, int *count);
XE_FN_ int zed_choose_(zed_device *d, const zed_options *o, const zed_candidate_ *all, int count);
XE_FN_ bool zed_in_range_(zed_device *d, const char *what, const void *p, size_t bytes);
XE_FN_ bool zed_parse_params_(zed_device *d, const char *kernel, const char *text, zed_param *params, uint32_t *count);
XE_FN_ const char *zed_param_name_(const zed_param *p, char *text, size_t size);
XE_FN_ bool zed_bind_(const zed_kernel *k, const zed_arg *a, uint32_t i, zed_bound_ *b);
XE_FN_ bool zed_kernel_usable_(zed_kernel *k, const char *file, int line);
XE_FN_ bool zed_batch_is_(zed_batch *b, int state, const char *call, const char *file, int line);
