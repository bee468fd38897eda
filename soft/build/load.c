/* load.c - images, and loading objects from them: shared objects, or those of jit_machine. */
#define _GNU_SOURCE
#include "jit.h"

#include "abi.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char magic[8] = {'X', 'E', 'T', 'I', 'L', 'E', 'S', 'O'};

/* ---- images */

static void hash_image(const struct jit_image_header *h, const void *so, uint8_t hash[32])
{
    struct jit_sha256 s;
    jit_sha256_begin(&s);
    jit_sha256_add(&s, h, offsetof(struct jit_image_header, hash));
    jit_sha256_add(&s, so, (size_t)h->so_bytes);
    jit_sha256_end(&s, hash);
}

void *jit_image_make(const void *so, size_t so_bytes, const struct jit_key *key, size_t *image_bytes)
{
    struct jit_image_header h;
    uint8_t *image = malloc(sizeof h + so_bytes);
    if (!image) return NULL;
    memset(&h, 0, sizeof h);
    memcpy(h.magic, magic, sizeof magic);
    h.abi_version = XS_ABI_VERSION;
    h.header_bytes = sizeof h;
    h.so_bytes = so_bytes;
    if (key) memcpy(h.key, key->hash, sizeof h.key);
    jit_cpu_hash(h.cpu);
    hash_image(&h, so, h.hash);
    memcpy(image, &h, sizeof h);
    memcpy(image + sizeof h, so, so_bytes);
    *image_bytes = sizeof h + so_bytes;
    return image;
}

const char *jit_image_check(const void *image, size_t size)
{
    struct jit_image_header h;
    uint8_t hash[32];
    if (!image || size < sizeof h) return "too short for a native binary of this device";
    memcpy(&h, image, sizeof h);
    if (memcmp(h.magic, magic, sizeof magic) != 0) return "not a native binary of this device";
    if (h.abi_version != XS_ABI_VERSION || h.header_bytes != sizeof h)
        return "a native binary of another version of this device";
    if (h.so_bytes != size - sizeof h) return "a native binary that is cut short";
    hash_image(&h, (const uint8_t *)image + sizeof h, hash);
    if (memcmp(hash, h.hash, sizeof hash) != 0) return "a native binary that is damaged: its hash is wrong";
    jit_cpu_hash(hash);
    if (memcmp(hash, h.cpu, sizeof hash) != 0) return "a native binary made for another CPU or XETILE_SOFT_ISA";
    return NULL;
}

/* ---- loading */

static const char *check_module(const struct xs_module *m)
{
    uint32_t i;
    if (!m) return "it has no xs_module";
    if (m->version != XS_ABI_VERSION) return "it was made for another version of this device";
    if ((m->kernel_count && !m->kernels) || (m->global_count && !m->globals)) return "its tables are missing";
    for (i = 0; i < m->kernel_count; i++)
        if (!m->kernels[i].name || !m->kernels[i].run) return "a kernel is without name or code";
    return NULL;
}

static bool open_path(const char *path, struct jit_object *out, struct sp_text *log)
{
    const char *why;
    out->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!out->handle) {
        why = dlerror();
        sp_text_add(log, "loading the compiled kernels: %s\n", why ? why : "failed");
        return false;
    }
    out->module = dlsym(out->handle, "xs_module");
    why = check_module(out->module);
    if (!why) return true;
    sp_text_add(log, "loading the compiled kernels: %s\n", why);
    dlclose(out->handle);
    out->handle = NULL;
    out->module = NULL;
    return false;
}

/* Without a writable directory (or one that allows execution): loads from anonymous memory. The descriptor stays open,
 * because the loader identifies objects by path, and its number must not be reused. */
static bool open_from_memory(const void *so, size_t size, struct jit_object *out, struct sp_text *log)
{
    char path[64];
    int fd = memfd_create("xetile", MFD_CLOEXEC);
    if (fd < 0 || !jit_write_all(fd, so, size)) {
        sp_text_add(log, "loading the compiled kernels: no memory file: %s\n", strerror(errno));
        if (fd >= 0) close(fd);
        return false;
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (!open_path(path, out, log)) {
        close(fd);
        return false;
    }
    out->kept_fd = fd + 1;
    return true;
}

static struct jit_machine machine;

void jit_machine_is(const struct jit_machine *m) { machine = *m; }

static bool open_from_file(const void *so, size_t size, struct jit_object *out)
{
    char *directory = jit_private_directory(NULL), *path = directory ? jit_text("%s/k.so", directory) : NULL;
    bool good = path && jit_write_file(path, so, size) && open_path(path, out, NULL);
    free(path);
    if (directory) jit_remove_directory(directory);
    return good;
}

bool jit_open_object(const void *so, size_t size, struct jit_object *out, struct sp_text *log)
{
    const char *why = jit_elf_check(so, size);
    if (why) sp_text_add(log, "loading the compiled kernels: the shared object is unsound: %s\n", why);
    if (why || (!open_from_file(so, size, out) && !open_from_memory(so, size, out, log))) return false;
    jit_usage_read(so, size, out->module);
    return true;
}

bool jit_load_image(const void *image, size_t size, struct jit_object *out, struct sp_text *log)
{
    const char *why = jit_image_check(image, size);
    const uint8_t *so = image;
    void *copy;
    memset(out, 0, sizeof *out);
    if (why) {
        sp_text_add(log, "%s\n", why);
        return false;
    }
    copy = malloc(size);
    if (!copy) {
        sp_text_add(log, "out of memory\n");
        return false;
    }
    memcpy(copy, image, size);
    so += sizeof(struct jit_image_header);
    size -= sizeof(struct jit_image_header);
    bool packaged = machine.is_package && machine.is_package(so, size);
    if (packaged ? !machine.load(so, size, out, log) : !jit_open_object(so, size, out, log)) {
        free(copy);
        return false;
    }
    out->image = copy;
    out->image_size = size + sizeof(struct jit_image_header);
    return true;
}

const void *jit_shared_object(const struct jit_object *o, size_t *size)
{
    *size = o->image_size - sizeof(struct jit_image_header);
    return (const uint8_t *)o->image + sizeof(struct jit_image_header);
}

void jit_unload(struct jit_object *o)
{
    if (o->handle) dlclose(o->handle);
    if (o->machine) machine.unload(o->machine);
    if (o->kept_fd) close(o->kept_fd - 1);
    free(o->image);
    memset(o, 0, sizeof *o);
}
