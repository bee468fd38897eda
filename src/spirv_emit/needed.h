/* needed.h - the capabilities that names need, and the sources of capabilities; written by numbers.py. */
/* X(what, first, last number, capability), see SPE_NEED_OP_ ... */
#define SPE_NEEDED_(X)                                                                                                 \
    X(BUILTIN, 4416, 4420, GroupNonUniformBallot) X(DECORATION, 41, 41, Linkage) X(DECORATION, 4216, 4216, Float8EXT)  \
    X(DECORATION, 6188, 6188, GlobalVariableHostAccessINTEL) X(DECORATION, 6442, 6443, CacheControlsINTEL)             \
    X(MODE, 35, 37, SubgroupDispatch) X(MODE, 4459, 4459, DenormPreserve) X(MODE, 4460, 4460, DenormFlushToZero)       \
    X(MODE, 4461, 4461, SignedZeroInfNanPreserve) X(MODE, 4462, 4462, RoundingModeRTE)                                 \
    X(MODE, 4463, 4463, RoundingModeRTZ) X(MODE, 6028, 6028, FloatControls2) X(MODE, 6461, 6463, RegisterLimitsINTEL)  \
    X(STORAGE, 8, 8, GenericPointer) X(OP, 45, 45, LiteralSampler) X(OP, 143, 143, Matrix)                             \
    X(OP_BF16, 148, 148, BFloat16DotProductKHR) X(OP, 201, 204, BitInstructions) X(OP_64, 227, 242, Int64Atomics)      \
    X(OP, 261, 271, Groups) X(OP, 325, 326, SubgroupDispatch) X(OP, 333, 333, GroupNonUniform)                         \
    X(OP, 334, 336, GroupNonUniformVote) X(OP, 337, 344, GroupNonUniformBallot)                                        \
    X(OP, 345, 346, GroupNonUniformShuffle) X(OP, 347, 348, GroupNonUniformShuffleRelative)                            \
    X(OP_ACROSS, 349, 364, GroupNonUniformArithmetic) X(OP_CLUSTERED, 349, 364, GroupNonUniformClustered)              \
    X(OP, 365, 366, GroupNonUniformQuad) X(OP, 4421, 4422, SubgroupBallotKHR) X(OP, 4428, 4430, SubgroupVoteKHR)       \
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

/* All numbers of the grammar, also those without a name here. */
#define SPE_CAPABILITIES_KNOWN_(X)                                                                                     \
    X(0, 15) X(17, 25) X(27, 71) X(4165, 4168) X(4174, 4176) X(4191, 4191) X(4201, 4201) X(4212, 4213) X(4228, 4232)   \
    X(4422, 4423) X(4427, 4431) X(4433, 4437) X(4439, 4439) X(4441, 4442) X(4445, 4445) X(4447, 4450) X(4464, 4468)    \
    X(4471, 4473) X(4478, 4479) X(4484, 4486) X(4495, 4496) X(4498, 4498) X(4539, 4539) X(4543, 4544) X(5008, 5010)    \
    X(5013, 5013) X(5015, 5016) X(5055, 5055) X(5067, 5067) X(5087, 5087) X(5112, 5112) X(5114, 5114) X(5116, 5118)    \
    X(5120, 5120) X(5128, 5128) X(5146, 5146) X(5156, 5156) X(5181, 5181) X(5249, 5249) X(5251, 5251) X(5254, 5255)    \
    X(5259, 5260) X(5265, 5266) X(5282, 5284) X(5288, 5288) X(5291, 5291) X(5297, 5297) X(5301, 5312) X(5336, 5336)    \
    X(5340, 5341) X(5345, 5347) X(5350, 5350) X(5353, 5353) X(5357, 5357) X(5363, 5363) X(5372, 5373) X(5378, 5381)    \
    X(5383, 5383) X(5388, 5388) X(5390, 5391) X(5394, 5394) X(5404, 5404) X(5409, 5409) X(5414, 5414) X(5418, 5419)    \
    X(5423, 5423) X(5425, 5426) X(5429, 5435) X(5437, 5439) X(5447, 5447) X(5568, 5570) X(5579, 5579) X(5582, 5584)    \
    X(5603, 5604) X(5606, 5606) X(5612, 5613) X(5616, 5617) X(5619, 5619) X(5629, 5629) X(5696, 5698) X(5817, 5817)    \
    X(5821, 5821) X(5824, 5824) X(5837, 5837) X(5844, 5845) X(5886, 5886) X(5888, 5888) X(5892, 5892) X(5897, 5898)    \
    X(5904, 5904) X(5906, 5906) X(5908, 5908) X(5910, 5910) X(5916, 5916) X(5920, 5920) X(5922, 5922) X(5935, 5935)    \
    X(5939, 5939) X(5943, 5943) X(5945, 5945) X(5948, 5948) X(6016, 6020) X(6022, 6022) X(6024, 6026) X(6029, 6030)    \
    X(6032, 6034) X(6089, 6089) X(6094, 6095) X(6114, 6115) X(6141, 6141) X(6144, 6144) X(6150, 6150) X(6161, 6162)    \
    X(6169, 6169) X(6171, 6171) X(6174, 6174) X(6187, 6187) X(6189, 6189) X(6220, 6220) X(6228, 6230) X(6236, 6236)    \
    X(6241, 6241) X(6243, 6243) X(6245, 6246) X(6257, 6257) X(6265, 6265) X(6400, 6400) X(6425, 6425) X(6427, 6427)    \
    X(6441, 6441) X(6460, 6460) X(6528, 6528) X(6912, 6915) X(7041, 7041)

#define SPE_DECORATIONS_KNOWN_(X)                                                                                      \
    X(0, 11) X(13, 47) X(4216, 4216) X(4469, 4470) X(4487, 4488) X(4499, 4499) X(4999, 4999) X(5019, 5020)             \
    X(5078, 5078) X(5091, 5091) X(5098, 5100) X(5105, 5105) X(5124, 5125) X(5145, 5145) X(5248, 5248) X(5250, 5250)    \
    X(5252, 5252) X(5256, 5256) X(5271, 5273) X(5285, 5285) X(5300, 5300) X(5355, 5356) X(5358, 5358) X(5386, 5386)    \
    X(5389, 5389) X(5397, 5401) X(5440, 5440) X(5599, 5599) X(5602, 5602) X(5607, 5608) X(5624, 5628) X(5634, 5636)    \
    X(5822, 5823) X(5825, 5836) X(5883, 5885) X(5899, 5902) X(5905, 5905) X(5907, 5907) X(5909, 5909) X(5914, 5915)    \
    X(5917, 5919) X(5921, 5921) X(5944, 5944) X(6080, 6080) X(6085, 6085) X(6087, 6087) X(6140, 6140) X(6151, 6151)    \
    X(6170, 6170) X(6172, 6173) X(6175, 6183) X(6188, 6188) X(6190, 6191) X(6247, 6247) X(6442, 6443) X(7040, 7040)

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
