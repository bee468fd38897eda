/* prototypes.h - written by join.sh from the functions of ze_dispatch.h's sources. */
XE_FN_ bool zed_fail_alone_(int id, const char *call, const char *file, int line);
XE_FN_ const char *zed_driver_text_(const zed_device *d);
XE_FN_ bool zed_usable_(zed_device *d);
XE_FN_ bool zed_find_functions_(zed_device *d);
XE_FN_ double zed_tick_ns_from_(uint64_t old_meaning, uint64_t new_meaning);
XE_FN_ bool zed_event_ns_(zed_device *d, ze_event_handle_t event, double *ns);
XE_FN_ bool zed_await_event_(zed_device *d, const char *what, double *ns);
XE_FN_ bool zed_settle_(zed_device *d);
XE_FN_ bool zed_follow_batches_(zed_device *d);
XE_FN_ ptrdiff_t zed_find_(const zed_device *d, int kind, const void *handle);
XE_FN_ bool zed_destroy_(zed_device *d, const zed_resource_ *r);
XE_FN_ bool zed_keep_(zed_device *d, int kind, void *handle, size_t bytes);
XE_FN_ bool zed_drop_(zed_device *d, int kind, void *handle);
XE_FN_ bool zed_release_(zed_device *d, int kind, void *handle, const char *file, int line);
XE_FN_ bool zed_make_pool_(zed_device *d, uint32_t count, bool timed, ze_event_pool_handle_t *pool);
XE_FN_ bool zed_make_event_(zed_device *d, ze_event_pool_handle_t pool, uint32_t index, ze_event_handle_t *event);
XE_FN_ bool zed_event_is_for_(const zed_event *e, zed_device *d, const char *call);
XE_FN_ const zed_target_row_ *zed_recognise_(const zed_identity_ *id, char *how, size_t size, bool *guessed);
XE_FN_ bool zed_identify_(zed_device *d, ze_device_handle_t device, ze_device_properties_t *p, zed_identity_ *id);
XE_FN_ void zed_fill_target_(zed_target *t, const ze_device_properties_t *p, const ze_device_compute_properties_t *c,
    const ze_device_module_properties_t *m);
XE_FN_ bool zed_name_drivers_(zed_device *d);
XE_FN_ bool zed_name_drivers_(zed_device *d);
XE_FN_ bool zed_enumerate_(zed_device *d, zed_candidate_ *all, int *count);
XE_FN_ int zed_choose_(zed_device *d, const zed_options *o, const zed_candidate_ *all, int count);
XE_FN_ bool zed_in_range_(zed_device *d, const char *what, const void *p, size_t bytes);
XE_FN_ bool zed_reachable_(const zed_device *d, const void *p);
XE_FN_ bool zed_parse_params_(zed_device *d, const char *kernel, const char *text, zed_param *params, uint32_t *count);
XE_FN_ const char *zed_param_name_(const zed_param *p, char *text, size_t size);
XE_FN_ const char *zed_arg_name_(const zed_arg *a, char *text, size_t size);
XE_FN_ bool zed_fit_number_(const zed_type_ *t, const zed_arg *a, zed_bound_ *b, char low[32], char high[32]);
XE_FN_ bool zed_bind_(const zed_kernel *k, const zed_arg *a, uint32_t i, zed_bound_ *b);
XE_FN_ void zed_constants_free_(zed_constants_ *c);
XE_FN_ bool zed_constants_of_(zed_device *d, const zed_source *s, zed_constants_ *c);
XE_FN_ bool zed_module_words_ok_(zed_device *d, const void *words, size_t bytes);
XE_FN_ bool zed_module_make_(zed_module *module, zed_device *d, bool native, const void *data, size_t bytes,
    const char *flags, const zed_constants_ *constants, bool must);
XE_FN_ bool zed_set_local_size_(zed_kernel *k, uint32_t x, uint32_t y, uint32_t z);
XE_FN_ bool zed_kernel_usable_(zed_kernel *k, const char *file, int line);
XE_FN_ bool zed_module_load_with_(zed_module *module, zed_device *d, const zed_source *s, const char *folder,
    zed_constants_of_fn_ constants_of);
XE_FN_ bool zed_set_arguments_(zed_kernel *k, const zed_bound_ *bound);
XE_FN_ bool zed_launch_ok_(zed_kernel *k, zed_groups groups, const zed_arg *args, uint32_t count, zed_bound_ *bound);
XE_FN_ bool zed_append_(zed_kernel *k, ze_command_list_handle_t list, bool barrier, ze_event_handle_t signal,
    zed_groups groups);
XE_FN_ bool zed_find_mutable_(zed_device *d, ze_command_list_handle_t list);
XE_FN_ bool zed_name_command_(zed_recording_ *r, zed_step_ *s);
XE_FN_ bool zed_update_all_(zed_recording_ *r);
XE_FN_ bool zed_batch_is_(zed_batch *b, int state, const char *call, const char *file, int line);
XE_FN_ zed_recording_ *zed_recording_make_(zed_device *d);
XE_FN_ zed_step_ *zed_add_step_(zed_recording_ *r, int kind);
XE_FN_ bool zed_step_launch_(zed_recording_ *r, const zed_kernel *k, zed_groups groups, const zed_bound_ *args);
XE_FN_ zed_step_ *zed_launch_of_(zed_recording_ *r, int i);
XE_FN_ bool zed_recording_reset_(zed_recording_ *r);
XE_FN_ bool zed_record_(zed_recording_ *r);
XE_FN_ bool zed_renew_(zed_recording_ *r);
