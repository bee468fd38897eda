/* needed.h - the capabilities that names need, and the sources of capabilities; written by numbers.py. */
/* X(what, first, last number, capability), see SPE_NEED_OP_ ... */
#define SPE_NEEDED_(X)                                                                                                 \
    X(BUILTIN, 4416, 4420, GroupNonUniformBallot) X(DECORATION, 41, 41, Linkage) X(DECORATION, 4216, 4216, Float8EXT)  \
    X(DECORATION, 6188, 6188, GlobalVariableHostAccessINTEL) X(DECORATION, 6442, 6443, CacheControlsINTEL)             \
    X(MODE, 35, 37, SubgroupDispatch) X(MODE, 4459, 4459, DenormPreserve) X(MODE, 4460, 4460, DenormFlushToZero)       \
    X(MODE, 4461, 4461, SignedZeroInfNanPreserve) X(MODE, 4462, 4462, RoundingModeRTE)                                 \
    X(MODE, 4463, 4463, RoundingModeRTZ) X(MODE, 6028, 6028, FloatControls2) X(MODE, 6461, 6463, RegisterLimitsINTEL)  \
    X(STORAGE, 8, 8, GenericPointer) X(OP, 143, 143, Matrix) X(OP_BF16, 148, 148, BFloat16DotProductKHR)               \
    X(OP, 201, 204, BitInstructions) X(OP_64, 227, 242, Int64Atomics) X(OP, 261, 271, Groups)                          \
    X(OP, 325, 326, SubgroupDispatch) X(OP, 333, 333, GroupNonUniform) X(OP, 334, 336, GroupNonUniformVote)            \
    X(OP, 337, 344, GroupNonUniformBallot) X(OP, 345, 346, GroupNonUniformShuffle)                                     \
    X(OP, 347, 348, GroupNonUniformShuffleRelative) X(OP_ACROSS, 349, 364, GroupNonUniformArithmetic)                  \
    X(OP_CLUSTERED, 349, 364, GroupNonUniformClustered) X(OP, 365, 366, GroupNonUniformQuad)                           \
    X(OP, 4421, 4422, SubgroupBallotKHR) X(OP, 4428, 4430, SubgroupVoteKHR)                                            \
    X(OP, 4431, 4431, GroupNonUniformRotateKHR) X(OP, 4432, 4432, SubgroupBallotKHR) X(OP, 4450, 4455, DotProduct)     \
    X(OP, 4456, 4460, CooperativeMatrixKHR) X(OP, 5288, 5289, CooperativeVectorNV)                                     \
    X(OP, 5290, 5291, CooperativeVectorTrainingNV) X(OP, 5292, 5292, CooperativeVectorNV)                              \
    X(OP, 5302, 5303, CooperativeVectorNV) X(OP, 5571, 5574, SubgroupShuffleINTEL)                                     \
    X(OP, 5575, 5576, SubgroupBufferBlockIOINTEL) X(OP_16, 5614, 5615, AtomicFloat16MinMaxEXT)                         \
    X(OP_32, 5614, 5615, AtomicFloat32MinMaxEXT) X(OP_64, 5614, 5615, AtomicFloat64MinMaxEXT)                          \
    X(OP, 5630, 5631, ExpectAssumeKHR) X(OP_16, 6035, 6035, AtomicFloat16AddEXT)                                       \
    X(OP_32, 6035, 6035, AtomicFloat32AddEXT) X(OP_64, 6035, 6035, AtomicFloat64AddEXT)                                \
    X(OP, 6116, 6117, BFloat16ConversionINTEL) X(OP, 6142, 6143, SplitBarrierINTEL)                                    \
    X(OP, 6221, 6221, SubgroupBufferPrefetchINTEL) X(OP, 6231, 6231, Subgroup2DBlockIOINTEL)                           \
    X(OP, 6232, 6232, Subgroup2DBlockTransformINTEL) X(OP, 6233, 6233, Subgroup2DBlockTransposeINTEL)                  \
    X(OP, 6234, 6235, Subgroup2DBlockIOINTEL) X(OP, 6237, 6237, SubgroupMatrixMultiplyAccumulateINTEL)                 \
    X(OP, 6258, 6259, PredicatedIOINTEL) X(OP, 6401, 6408, GroupUniformArithmeticKHR)                                  \
    X(OP, 6426, 6426, TensorFloat32RoundingINTEL)

/* X(first, last capability, lowest version 1.x, extension, version 1.x that has it in the core) */
#define SPE_SOURCES_(X)                                                                                                \
    X(58, 58, 1, "", 0) X(61, 68, 3, "", 0) X(4212, 4213, 0, "SPV_EXT_float8", 0)                                      \
    X(4423, 4423, 0, "SPV_KHR_shader_ballot", 0) X(4431, 4431, 0, "SPV_KHR_subgroup_vote", 0)                          \
    X(4464, 4468, 0, "SPV_KHR_float_controls", 4) X(5116, 5118, 0, "SPV_KHR_bfloat16", 0)                              \
    X(5394, 5394, 0, "SPV_NV_cooperative_vector", 0) X(5425, 5425, 3, "SPV_EXT_long_vector", 0)                        \
    X(5435, 5435, 0, "SPV_NV_cooperative_vector", 0) X(5568, 5569, 0, "SPV_INTEL_subgroups", 0)                        \
    X(5612, 5613, 0, "SPV_EXT_shader_atomic_float_min_max", 0)                                                         \
    X(5616, 5616, 0, "SPV_EXT_shader_atomic_float_min_max", 0) X(5619, 5619, 0, "SPV_INTEL_vector_compute", 0)         \
    X(5629, 5629, 0, "SPV_KHR_expect_assume", 0) X(6016, 6019, 0, "SPV_KHR_integer_dot_product", 6)                    \
    X(6022, 6022, 0, "SPV_KHR_cooperative_matrix", 0) X(6025, 6025, 0, "SPV_KHR_bit_instructions", 0)                  \
    X(6026, 6026, 0, "SPV_KHR_subgroup_rotate", 0) X(6029, 6029, 0, "SPV_KHR_float_controls2", 0)                      \
    X(6033, 6034, 0, "SPV_EXT_shader_atomic_float_add", 0) X(6095, 6095, 0, "SPV_EXT_shader_atomic_float16_add", 0)    \
    X(6115, 6115, 0, "SPV_INTEL_bfloat16_conversion", 0) X(6141, 6141, 0, "SPV_INTEL_split_barrier", 0)                \
    X(6187, 6187, 0, "SPV_INTEL_global_variable_host_access", 0)                                                       \
    X(6220, 6220, 0, "SPV_INTEL_subgroup_buffer_prefetch", 0) X(6228, 6230, 0, "SPV_INTEL_2d_block_io", 0)             \
    X(6236, 6236, 0, "SPV_INTEL_subgroup_matrix_multiply_accumulate", 0)                                               \
    X(6257, 6257, 0, "SPV_INTEL_predicated_io", 0) X(6400, 6400, 0, "SPV_KHR_uniform_group_instructions", 0)           \
    X(6425, 6425, 0, "SPV_INTEL_tensor_float32_conversion", 0) X(6441, 6441, 0, "SPV_INTEL_cache_controls", 0)         \
    X(6460, 6460, 0, "SPV_INTEL_maximum_registers", 0)
