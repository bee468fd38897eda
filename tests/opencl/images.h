/* images.h - the kernels of images.cl and images_unoptimised.cl: each operation on each kind of image. Each work-item
 * takes its coordinates from a list.
 */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable
#pragma OPENCL EXTENSION cl_khr_mipmap_image : enable

#define ME const int me = (int)get_global_id(0)

/* KIND: a name; IMAGE: the type without its access; INT and FLOAT: construct coordinates. */
#define READS(KIND, IMAGE, INT)                                                                                        \
    kernel void read_f_##KIND(read_only IMAGE image, global const int4 *at, global float4 *to)                         \
    {                                                                                                                  \
        ME;                                                                                                            \
        to[me] = read_imagef(image, INT(at[me]));                                                                      \
    }                                                                                                                  \
    kernel void read_i_##KIND(read_only IMAGE image, global const int4 *at, global int4 *to)                           \
    {                                                                                                                  \
        ME;                                                                                                            \
        to[me] = read_imagei(image, INT(at[me]));                                                                      \
    }                                                                                                                  \
    kernel void read_ui_##KIND(read_only IMAGE image, global const int4 *at, global uint4 *to)                         \
    {                                                                                                                  \
        ME;                                                                                                            \
        to[me] = read_imageui(image, INT(at[me]));                                                                     \
    }                                                                                                                  \
    kernel void write_f_##KIND(write_only IMAGE image, global const int4 *at, global const float4 *from)               \
    {                                                                                                                  \
        ME;                                                                                                            \
        write_imagef(image, INT(at[me]), from[me]);                                                                    \
    }                                                                                                                  \
    kernel void write_i_##KIND(write_only IMAGE image, global const int4 *at, global const int4 *from)                 \
    {                                                                                                                  \
        ME;                                                                                                            \
        write_imagei(image, INT(at[me]), from[me]);                                                                    \
    }                                                                                                                  \
    kernel void write_ui_##KIND(write_only IMAGE image, global const int4 *at, global const uint4 *from)               \
    {                                                                                                                  \
        ME;                                                                                                            \
        write_imageui(image, INT(at[me]), from[me]);                                                                   \
    }

#define SAMPLES(KIND, IMAGE, INT, FLOAT)                                                                               \
    kernel void fetch_f_##KIND(read_only IMAGE image, sampler_t how, global const int4 *at, global float4 *to)         \
    {                                                                                                                  \
        ME;                                                                                                            \
        to[me] = read_imagef(image, how, INT(at[me]));                                                                 \
    }                                                                                                                  \
    kernel void fetch_ui_##KIND(read_only IMAGE image, sampler_t how, global const int4 *at, global uint4 *to)         \
    {                                                                                                                  \
        ME;                                                                                                            \
        to[me] = read_imageui(image, how, INT(at[me]));                                                                \
    }                                                                                                                  \
    kernel void sample_f_##KIND(read_only IMAGE image, sampler_t how, global const float4 *at, global float4 *to)      \
    {                                                                                                                  \
        ME;                                                                                                            \
        to[me] = read_imagef(image, how, FLOAT(at[me]));                                                               \
    }                                                                                                                  \
    kernel void sample_i_##KIND(read_only IMAGE image, sampler_t how, global const float4 *at, global int4 *to)        \
    {                                                                                                                  \
        ME;                                                                                                            \
        to[me] = read_imagei(image, how, FLOAT(at[me]));                                                               \
    }

#define X_(a) (a).x
#define XY_(a) (a).xy
#define ALL_(a) (a)

READS(1d, image1d_t, X_)
READS(buffer, image1d_buffer_t, X_)
READS(1d_array, image1d_array_t, XY_)
READS(2d, image2d_t, XY_)
READS(2d_array, image2d_array_t, ALL_)
READS(3d, image3d_t, ALL_)
SAMPLES(1d, image1d_t, X_, X_)
SAMPLES(1d_array, image1d_array_t, XY_, XY_)
SAMPLES(2d, image2d_t, XY_, XY_)
SAMPLES(2d_array, image2d_array_t, ALL_, ALL_)
SAMPLES(3d, image3d_t, ALL_, ALL_)

/* ---- f16 */

kernel void read_h_2d(read_only image2d_t image, global const int4 *at, global half4 *to)
{
    ME;
    to[me] = read_imageh(image, at[me].xy);
}

kernel void sample_h_2d(read_only image2d_t image, sampler_t how, global const float4 *at, global half4 *to)
{
    ME;
    to[me] = read_imageh(image, how, at[me].xy);
}

kernel void write_h_2d(write_only image2d_t image, global const int4 *at, global const half4 *from)
{
    ME;
    write_imageh(image, at[me].xy, from[me]);
}

/* ---- levels of detail; an image has one */

kernel void sample_level(read_only image2d_t image, sampler_t how, global const float4 *at, global float4 *to)
{
    ME;
    to[2 * me] = read_imagef(image, how, at[me].xy, at[me].z);
    to[2 * me + 1] = read_imagef(image, how, at[me].xy, at[me].zw, at[me].yx);
}

/* ---- depth: one number per texel */

kernel void read_depth(read_only image2d_depth_t image, global const int4 *at, global float *to)
{
    ME;
    to[me] = read_imagef(image, at[me].xy);
}

kernel void sample_depth(read_only image2d_array_depth_t image, sampler_t how, global const float4 *at,
                         global float *to)
{
    ME;
    to[me] = read_imagef(image, how, at[me]);
}

kernel void write_depth(write_only image2d_array_depth_t image, global const int4 *at, global const float *from)
{
    ME;
    write_imagef(image, at[me], from[me]);
}

/* ---- queries */

kernel void query(read_only image1d_t one, read_only image1d_buffer_t buffer, write_only image1d_array_t ones,
                  read_only image2d_t two, read_only image2d_array_t twos, read_write image3d_t three,
                  read_only image2d_depth_t depth, global int *to)
{
    if (get_global_id(0)) return;
    to[0] = get_image_width(one);
    to[1] = get_image_width(buffer);
    to[2] = get_image_width(ones);
    to[3] = (int)get_image_array_size(ones);
    to[4] = get_image_width(two);
    to[5] = get_image_height(two);
    to[6] = get_image_dim(twos).x;
    to[7] = get_image_dim(twos).y;
    to[8] = (int)get_image_array_size(twos);
    to[9] = get_image_dim(three).x;
    to[10] = get_image_height(three);
    to[11] = get_image_depth(three);
    to[12] = get_image_channel_data_type(two);
    to[13] = get_image_channel_order(two);
    to[14] = get_image_channel_data_type(three);
    to[15] = get_image_channel_order(three);
    to[16] = get_image_channel_order(depth);
    to[17] = get_image_height(depth);
    to[18] = get_image_num_mip_levels(two);
}

/* ---- samplers declared in the program, functions that take images, divergent lanes */

constant sampler_t program_scope = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_MIRRORED_REPEAT | CLK_FILTER_LINEAR;

kernel void literal_samplers(read_only image2d_t image, global const float4 *at, global float4 *to)
{
    const sampler_t border = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
    const sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
    const sampler_t again = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_NEAREST;
    ME;
    to[4 * me] = read_imagef(image, border, at[me].xy);
    to[4 * me + 1] = read_imagef(image, edge, at[me].xy);
    to[4 * me + 2] = read_imagef(image, again, at[me].xy);
    to[4 * me + 3] = read_imagef(image, program_scope, at[me].xy);
}

__attribute__((noinline)) float4 blurred(read_only image2d_t image, sampler_t how, int2 at)
{
    return read_imagef(image, how, at) * 0.5f + read_imagef(image, how, at + (int2)(1, 0)) * 0.25f +
           read_imagef(image, how, at - (int2)(1, 0)) * 0.25f;
}

kernel void by_a_function(read_only image2d_t image, sampler_t how, global const int4 *at, global float4 *to)
{
    ME;
    if (me % 3 == 1) to[me] = blurred(image, how, at[me].xy);
}

/* Every third work-item writes nothing; the others loop as often as their id requires. */
kernel void divergent(read_only image2d_t from, write_only image2d_t to)
{
    ME;
    float4 sum = 0;
    if (me % 3 == 0) return;
    for (int i = 0; i < me % 7; i++) sum += read_imagef(from, (int2)(i, me % get_image_height(from)));
    write_imagef(to, (int2)(me % get_image_width(to), me / get_image_width(to)), sum);
}

/* All work-items of a work-group read the same texel. */
kernel void uniform_reads(read_only image2d_t image, sampler_t how, global const float4 *at, global float4 *to)
{
    const int group = (int)get_group_id(0);
    const float4 same = read_imagef(image, (int2)(group, 1)) + read_imagef(image, how, at[group].xy);
    to[get_global_id(0)] = same;
}

kernel void uniform_writes(write_only image2d_t image)
{
    write_imagef(image, (int2)((int)get_group_id(0), 0), (float4)(get_group_id(0) * 0.25f, 0.5f, -1.0f, 2.0f));
}

/* Updates its own texels in place. */
kernel void in_place(read_write image3d_t image)
{
    const int4 at = (int4)((int)get_global_id(0), (int)get_global_id(1), (int)get_global_id(2), 0);
    write_imagei(image, at, read_imagei(image, at) * 3 - at.x);
}

kernel void with_barrier(read_only image2d_t image, sampler_t how, global float4 *to)
{
    local float4 row[64];
    const int me = (int)get_local_id(0), all = (int)get_local_size(0);
    row[me] = read_imagef(image, how, (int2)(me, (int)get_group_id(0)));
    barrier(CLK_LOCAL_MEM_FENCE);
    to[get_global_id(0)] = row[all - 1 - me] + read_imagef(image, how, (int2)(me + 1, (int)get_group_id(0)));
}
