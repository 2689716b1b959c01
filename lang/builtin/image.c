/* Image files as arrays: PNG by libpng's simplified interface. An image is uint8 of shape (rows,
 * columns) in grey or (rows, columns, channels) with 2, 3 or 4 channels. libpng is loaded on first
 * use; without it, at run time or build time, the functions raise. */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>

#include "lang/builtin/all.h"
#include "lang/builtin/file.h"
#include "lang/object/container.h"
#include "lang/vm/array_args.h"

#ifdef GPA_HAVE_PNG
#include <png.h>

#define TEXT_OF(x) #x
#define SONAME(major) "libpng" TEXT_OF(major) ".so." TEXT_OF(major)

typedef struct {
#define PNG(member, symbol, type, parameters) type(*member) parameters;
#include "lang/builtin/png.def"
#undef PNG
} png_library;

static const char *const symbols[] = {
#define PNG(member, symbol, type, parameters) #symbol,
#include "lang/builtin/png.def"
#undef PNG
};

/* Loads libpng; it is never unloaded. */
static gpa_code open_png(gpa_vm *vm, png_library *out) {
    void *so = dlopen(SONAME(PNG_LIBPNG_VER_DLLNUM), RTLD_NOW | RTLD_LOCAL),
         *found[COUNT_OF(symbols)];
    for (size_t i = 0; i < COUNT_OF(symbols) && so; i++)
        if (!(found[i] = dlsym(so, symbols[i]))) so = NULL;
    if (!so)
        return vm_fail(vm, GPA_E_UNSUPPORTED,
                       "libpng (%s) is not installed: use numpy.load and numpy.save",
                       SONAME(PNG_LIBPNG_VER_DLLNUM));
    memcpy(out, found, sizeof found);
    return GPA_OK;
}

static const png_uint_32 formats[] = {0, PNG_FORMAT_GRAY, PNG_FORMAT_GA, PNG_FORMAT_RGB,
                                      PNG_FORMAT_RGBA}; /* by number of channels */

static gpa_code check_readable(gpa_vm *vm, const char *path) {
    FILE *f = fopen(path, "rb");
    if (!f) return os_error(vm, errno, path);
    fclose(f);
    return GPA_OK;
}

/* Reads the pixels of an image whose header was read. */
static gpa_code read_pixels(gpa_vm *vm, const png_library *png, png_image *image, const char *path,
                            value *out) {
    int channels = (int)PNG_IMAGE_SAMPLE_CHANNELS(image->format);
    int64_t shape[3] = {image->height, image->width, channels};
    gpa_arr *a = NULL;
    char *pixels = mem_new(PNG_IMAGE_SIZE(*image));
    gpa_code rc = pixels ? GPA_OK : vm_no_memory(vm);
    if (!rc && !png->finish(image, NULL, pixels, 0, NULL))
        rc = vm_fail(vm, GPA_E_OS, "cannot read '%s': %s", path, image->message);
    if (!rc)
        rc = arr_from(vm_rt(vm), &(arr_spec){DT_U8, channels > 1 ? 3 : 2, shape}, pixels, &a,
                      vm_err(vm));
    if (!rc) rc = np_return_array(vm, a, out);
    mem_free(pixels);
    return rc;
}

gpa_code image_read(gpa_vm *vm, value *argv, value *out) { /* path */
    const char *path;
    png_library png;
    png_image image = {.version = PNG_IMAGE_VERSION};
    gpa_code rc = open_png(vm, &png);
    if (!rc) rc = arg_path(vm, argv[0], &path);
    if (!rc) rc = check_readable(vm, path);
    if (rc) return rc;
    if (!png.begin(&image, path))
        rc = vm_fail(vm, GPA_E_OS, "cannot read '%s': %s", path, image.message);
    if (!rc && image.format & PNG_FORMAT_FLAG_LINEAR) /* 16 bits per channel, which libpng would
                                                         convert to 8 with other values */
        rc = vm_fail(vm, GPA_E_UNSUPPORTED,
                     "cannot read '%s': it has 16 bits per channel, and gpa reads pictures of 8",
                     path);
    image.format &=
        ~(png_uint_32)(PNG_FORMAT_FLAG_LINEAR |
                       PNG_FORMAT_FLAG_COLORMAP); /* stored values, and the colours of palettes */
    if (!rc) rc = read_pixels(vm, &png, &image, path, out);
    png.free(&image);
    return rc;
}

static gpa_code write_pixels(gpa_vm *vm, const png_library *png, png_image *image, const char *path,
                             const char *pixels) {
    gpa_str fresh;
    gpa_code rc = file_replace_begin(vm, path, &fresh);
    errno = 0;
    if (!rc && !png->write(image, fresh.text, 0, pixels, 0, NULL))
        rc = errno ? os_error(vm, errno, path)
                   : vm_fail(vm, GPA_E_OS, "cannot write '%s': %s", path, image->message);
    return file_replace_end(vm, rc, path, &fresh);
}

gpa_code image_write(gpa_vm *vm, value *argv, value *out) { /* path, a: uint8 */
    const char *path;
    gpa_arr *a = NULL;
    char *pixels = NULL;
    png_library png;
    gpa_code rc = GPA_OK;
    (void)out;
    TRY(open_png(vm, &png));
    TRY(arg_path(vm, argv[0], &path));
    TRY(arg_array(vm, argv[1], DT_U8, &a));
    int64_t channels = a->ndim == 3 ? a->shape[2] : 1;
    if ((a->ndim != 2 && a->ndim != 3) || channels < 1 || channels > 4 || !a->size)
        TRY(vm_fail(vm, GPA_E_VALUE,
                    "a picture has the shape (rows, columns) or (rows, columns, 1 to 4), and is "
                    "not empty"));
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)a->shape[1],
                       .height = (png_uint_32)a->shape[0],
                       .format = formats[channels]};
    if (a->shape[0] > UINT32_MAX >> 1 || a->shape[1] > UINT32_MAX >> 1)
        TRY(vm_fail(vm, GPA_E_VALUE, "the picture is too large"));
    if (!(pixels = mem_new((size_t)a->size))) TRY(vm_no_memory(vm));
    TRY(arr_read(vm_rt(vm), a, pixels, vm_err(vm)));
    rc = write_pixels(vm, &png, &image, path, pixels);
out:
    mem_free(pixels);
    arr_release(vm_rt(vm), a);
    return rc;
}

#else

gpa_code image_read(gpa_vm *vm, value *argv, value *out) {
    (void)argv;
    (void)out;
    return vm_fail(
        vm, GPA_E_UNSUPPORTED,
        "this gpa was built without libpng: pictures are left out; use numpy.load and numpy.save");
}

gpa_code image_write(gpa_vm *vm, value *argv, value *out) { return image_read(vm, argv, out); }

#endif
