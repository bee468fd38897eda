/* numbers.h - the numbers of SPIR-V, written by src/spirv_emit/numbers.py. */
#define SPE_OPCODES(X)                                                                                                 \
    X(Op, Nop, 0) X(Op, Undef, 1) X(Op, Source, 3) X(Op, Name, 5) X(Op, String, 7) X(Op, Line, 8) X(Op, Extension, 10) \
    X(Op, ExtInstImport, 11) X(Op, ExtInst, 12) X(Op, MemoryModel, 14) X(Op, EntryPoint, 15) X(Op, ExecutionMode, 16)  \
    X(Op, Capability, 17) X(Op, TypeVoid, 19) X(Op, TypeBool, 20) X(Op, TypeInt, 21) X(Op, TypeFloat, 22)              \
    X(Op, TypeVector, 23) X(Op, TypeImage, 25) X(Op, TypeSampler, 26) X(Op, TypeSampledImage, 27) X(Op, TypeArray, 28) \
    X(Op, TypeStruct, 30) X(Op, TypePointer, 32) X(Op, TypeFunction, 33) X(Op, TypeEvent, 34)                          \
    X(Op, TypeForwardPointer, 39) X(Op, ConstantTrue, 41) X(Op, ConstantFalse, 42) X(Op, Constant, 43)                 \
    X(Op, ConstantComposite, 44) X(Op, ConstantSampler, 45) X(Op, ConstantNull, 46) X(Op, SpecConstantTrue, 48)        \
    X(Op, SpecConstantFalse, 49) X(Op, SpecConstant, 50) X(Op, SpecConstantComposite, 51) X(Op, SpecConstantOp, 52)    \
    X(Op, Function, 54) X(Op, FunctionParameter, 55) X(Op, FunctionEnd, 56) X(Op, FunctionCall, 57)                    \
    X(Op, Variable, 59) X(Op, Load, 61) X(Op, Store, 62) X(Op, CopyMemory, 63) X(Op, CopyMemorySized, 64)              \
    X(Op, AccessChain, 65) X(Op, InBoundsAccessChain, 66) X(Op, PtrAccessChain, 67) X(Op, GenericPtrMemSemantics, 69)  \
    X(Op, InBoundsPtrAccessChain, 70) X(Op, Decorate, 71) X(Op, MemberDecorate, 72) X(Op, VectorExtractDynamic, 77)    \
    X(Op, VectorInsertDynamic, 78) X(Op, VectorShuffle, 79) X(Op, CompositeConstruct, 80) X(Op, CompositeExtract, 81)  \
    X(Op, CompositeInsert, 82) X(Op, CopyObject, 83) X(Op, SampledImage, 86) X(Op, ImageSampleExplicitLod, 88)         \
    X(Op, ImageRead, 98) X(Op, ImageWrite, 99) X(Op, ImageQueryFormat, 101) X(Op, ImageQueryOrder, 102)                \
    X(Op, ImageQuerySizeLod, 103) X(Op, ImageQuerySize, 104) X(Op, ImageQueryLevels, 106) X(Op, ConvertFToU, 109)      \
    X(Op, ConvertFToS, 110) X(Op, ConvertSToF, 111) X(Op, ConvertUToF, 112) X(Op, UConvert, 113) X(Op, SConvert, 114)  \
    X(Op, FConvert, 115) X(Op, ConvertPtrToU, 117) X(Op, SatConvertSToU, 118) X(Op, SatConvertUToS, 119)               \
    X(Op, ConvertUToPtr, 120) X(Op, PtrCastToGeneric, 121) X(Op, GenericCastToPtr, 122)                                \
    X(Op, GenericCastToPtrExplicit, 123) X(Op, Bitcast, 124) X(Op, SNegate, 126) X(Op, FNegate, 127) X(Op, IAdd, 128)  \
    X(Op, FAdd, 129) X(Op, ISub, 130) X(Op, FSub, 131) X(Op, IMul, 132) X(Op, FMul, 133) X(Op, UDiv, 134)              \
    X(Op, SDiv, 135) X(Op, FDiv, 136) X(Op, UMod, 137) X(Op, SRem, 138) X(Op, SMod, 139) X(Op, FRem, 140)              \
    X(Op, FMod, 141) X(Op, VectorTimesScalar, 142) X(Op, MatrixTimesScalar, 143) X(Op, Dot, 148) X(Op, IAddCarry, 149) \
    X(Op, ISubBorrow, 150) X(Op, UMulExtended, 151) X(Op, SMulExtended, 152) X(Op, Any, 154) X(Op, All, 155)           \
    X(Op, IsNan, 156) X(Op, IsInf, 157) X(Op, IsFinite, 158) X(Op, IsNormal, 159) X(Op, SignBitSet, 160)               \
    X(Op, LessOrGreater, 161) X(Op, Ordered, 162) X(Op, Unordered, 163) X(Op, LogicalEqual, 164)                       \
    X(Op, LogicalNotEqual, 165) X(Op, LogicalOr, 166) X(Op, LogicalAnd, 167) X(Op, LogicalNot, 168) X(Op, Select, 169) \
    X(Op, IEqual, 170) X(Op, INotEqual, 171) X(Op, UGreaterThan, 172) X(Op, SGreaterThan, 173)                         \
    X(Op, UGreaterThanEqual, 174) X(Op, SGreaterThanEqual, 175) X(Op, ULessThan, 176) X(Op, SLessThan, 177)            \
    X(Op, ULessThanEqual, 178) X(Op, SLessThanEqual, 179) X(Op, FOrdEqual, 180) X(Op, FUnordEqual, 181)                \
    X(Op, FOrdNotEqual, 182) X(Op, FUnordNotEqual, 183) X(Op, FOrdLessThan, 184) X(Op, FUnordLessThan, 185)            \
    X(Op, FOrdGreaterThan, 186) X(Op, FUnordGreaterThan, 187) X(Op, FOrdLessThanEqual, 188)                            \
    X(Op, FUnordLessThanEqual, 189) X(Op, FOrdGreaterThanEqual, 190) X(Op, FUnordGreaterThanEqual, 191)                \
    X(Op, ShiftRightLogical, 194) X(Op, ShiftRightArithmetic, 195) X(Op, ShiftLeftLogical, 196) X(Op, BitwiseOr, 197)  \
    X(Op, BitwiseXor, 198) X(Op, BitwiseAnd, 199) X(Op, Not, 200) X(Op, BitFieldInsert, 201)                           \
    X(Op, BitFieldSExtract, 202) X(Op, BitFieldUExtract, 203) X(Op, BitReverse, 204) X(Op, BitCount, 205)              \
    X(Op, ControlBarrier, 224) X(Op, MemoryBarrier, 225) X(Op, AtomicLoad, 227) X(Op, AtomicStore, 228)                \
    X(Op, AtomicExchange, 229) X(Op, AtomicCompareExchange, 230) X(Op, AtomicIIncrement, 232)                          \
    X(Op, AtomicIDecrement, 233) X(Op, AtomicIAdd, 234) X(Op, AtomicISub, 235) X(Op, AtomicSMin, 236)                  \
    X(Op, AtomicUMin, 237) X(Op, AtomicSMax, 238) X(Op, AtomicUMax, 239) X(Op, AtomicAnd, 240) X(Op, AtomicOr, 241)    \
    X(Op, AtomicXor, 242) X(Op, Phi, 245) X(Op, LoopMerge, 246) X(Op, SelectionMerge, 247) X(Op, Label, 248)           \
    X(Op, Branch, 249) X(Op, BranchConditional, 250) X(Op, Switch, 251) X(Op, Return, 253) X(Op, ReturnValue, 254)     \
    X(Op, Unreachable, 255) X(Op, LifetimeStart, 256) X(Op, LifetimeStop, 257) X(Op, GroupAsyncCopy, 259)              \
    X(Op, GroupWaitEvents, 260) X(Op, GroupAll, 261) X(Op, GroupAny, 262) X(Op, GroupBroadcast, 263)                   \
    X(Op, GroupIAdd, 264) X(Op, GroupFAdd, 265) X(Op, GroupFMin, 266) X(Op, GroupUMin, 267) X(Op, GroupSMin, 268)      \
    X(Op, GroupFMax, 269) X(Op, GroupUMax, 270) X(Op, GroupSMax, 271) X(Op, NoLine, 317)                               \
    X(Op, AtomicFlagTestAndSet, 318) X(Op, AtomicFlagClear, 319) X(Op, GetKernelLocalSizeForSubgroupCount, 325)        \
    X(Op, GetKernelMaxNumSubgroups, 326) X(Op, ExecutionModeId, 331) X(Op, GroupNonUniformElect, 333)                  \
    X(Op, GroupNonUniformAll, 334) X(Op, GroupNonUniformAny, 335) X(Op, GroupNonUniformAllEqual, 336)                  \
    X(Op, GroupNonUniformBroadcast, 337) X(Op, GroupNonUniformBroadcastFirst, 338) X(Op, GroupNonUniformBallot, 339)   \
    X(Op, GroupNonUniformInverseBallot, 340) X(Op, GroupNonUniformBallotBitExtract, 341)                               \
    X(Op, GroupNonUniformBallotBitCount, 342) X(Op, GroupNonUniformBallotFindLSB, 343)                                 \
    X(Op, GroupNonUniformBallotFindMSB, 344) X(Op, GroupNonUniformShuffle, 345) X(Op, GroupNonUniformShuffleXor, 346)  \
    X(Op, GroupNonUniformShuffleUp, 347) X(Op, GroupNonUniformShuffleDown, 348) X(Op, GroupNonUniformIAdd, 349)        \
    X(Op, GroupNonUniformFAdd, 350) X(Op, GroupNonUniformIMul, 351) X(Op, GroupNonUniformFMul, 352)                    \
    X(Op, GroupNonUniformSMin, 353) X(Op, GroupNonUniformUMin, 354) X(Op, GroupNonUniformFMin, 355)                    \
    X(Op, GroupNonUniformSMax, 356) X(Op, GroupNonUniformUMax, 357) X(Op, GroupNonUniformFMax, 358)                    \
    X(Op, GroupNonUniformBitwiseAnd, 359) X(Op, GroupNonUniformBitwiseOr, 360) X(Op, GroupNonUniformBitwiseXor, 361)   \
    X(Op, GroupNonUniformLogicalAnd, 362) X(Op, GroupNonUniformLogicalOr, 363) X(Op, GroupNonUniformLogicalXor, 364)   \
    X(Op, GroupNonUniformQuadBroadcast, 365) X(Op, GroupNonUniformQuadSwap, 366) X(Op, CopyLogical, 400)               \
    X(Op, PtrEqual, 401) X(Op, PtrNotEqual, 402) X(Op, PtrDiff, 403) X(Op, SubgroupBallotKHR, 4421)                    \
    X(Op, SubgroupFirstInvocationKHR, 4422) X(Op, SubgroupAllKHR, 4428) X(Op, SubgroupAnyKHR, 4429)                    \
    X(Op, SubgroupAllEqualKHR, 4430) X(Op, GroupNonUniformRotateKHR, 4431) X(Op, SubgroupReadInvocationKHR, 4432)      \
    X(Op, SDot, 4450) X(Op, UDot, 4451) X(Op, SUDot, 4452) X(Op, SDotAccSat, 4453) X(Op, UDotAccSat, 4454)             \
    X(Op, SUDotAccSat, 4455) X(Op, TypeCooperativeMatrixKHR, 4456) X(Op, CooperativeMatrixLoadKHR, 4457)               \
    X(Op, CooperativeMatrixStoreKHR, 4458) X(Op, CooperativeMatrixMulAddKHR, 4459)                                     \
    X(Op, CooperativeMatrixLengthKHR, 4460) X(Op, TypeCooperativeVectorNV, 5288)                                       \
    X(Op, CooperativeVectorMatrixMulNV, 5289) X(Op, CooperativeVectorOuterProductAccumulateNV, 5290)                   \
    X(Op, CooperativeVectorReduceSumAccumulateNV, 5291) X(Op, CooperativeVectorMatrixMulAddNV, 5292)                   \
    X(Op, CooperativeVectorLoadNV, 5302) X(Op, CooperativeVectorStoreNV, 5303) X(Op, SubgroupShuffleINTEL, 5571)       \
    X(Op, SubgroupShuffleDownINTEL, 5572) X(Op, SubgroupShuffleUpINTEL, 5573) X(Op, SubgroupShuffleXorINTEL, 5574)     \
    X(Op, SubgroupBlockReadINTEL, 5575) X(Op, SubgroupBlockWriteINTEL, 5576) X(Op, AtomicFMinEXT, 5614)                \
    X(Op, AtomicFMaxEXT, 5615) X(Op, AssumeTrueKHR, 5630) X(Op, ExpectKHR, 5631) X(Op, AtomicFAddEXT, 6035)            \
    X(Op, ConvertFToBF16INTEL, 6116) X(Op, ConvertBF16ToFINTEL, 6117) X(Op, ControlBarrierArriveINTEL, 6142)           \
    X(Op, ControlBarrierWaitINTEL, 6143) X(Op, SubgroupBlockPrefetchINTEL, 6221) X(Op, Subgroup2DBlockLoadINTEL, 6231) \
    X(Op, Subgroup2DBlockLoadTransformINTEL, 6232) X(Op, Subgroup2DBlockLoadTransposeINTEL, 6233)                      \
    X(Op, Subgroup2DBlockPrefetchINTEL, 6234) X(Op, Subgroup2DBlockStoreINTEL, 6235)                                   \
    X(Op, SubgroupMatrixMultiplyAccumulateINTEL, 6237) X(Op, PredicatedLoadINTEL, 6258)                                \
    X(Op, PredicatedStoreINTEL, 6259) X(Op, SubgroupScaledMatrixMultiplyAccumulateINTEL, 6264)                         \
    X(Op, GroupIMulKHR, 6401) X(Op, GroupFMulKHR, 6402) X(Op, GroupBitwiseAndKHR, 6403) X(Op, GroupBitwiseOrKHR, 6404) \
    X(Op, GroupBitwiseXorKHR, 6405) X(Op, GroupLogicalAndKHR, 6406) X(Op, GroupLogicalOrKHR, 6407)                     \
    X(Op, GroupLogicalXorKHR, 6408) X(Op, RoundFToTF32INTEL, 6426)

#define SPE_Capability_(X, K)                                                                                          \
    X(K, Matrix, 0) X(K, Shader, 1) X(K, Addresses, 4) X(K, Linkage, 5) X(K, Kernel, 6) X(K, Vector16, 7)              \
    X(K, Float16Buffer, 8) X(K, Float16, 9) X(K, Float64, 10) X(K, Int64, 11) X(K, Int64Atomics, 12)                   \
    X(K, ImageBasic, 13) X(K, ImageReadWrite, 14) X(K, Groups, 18) X(K, LiteralSampler, 20) X(K, Int16, 22)            \
    X(K, GenericPointer, 38) X(K, Int8, 39) X(K, Sampled1D, 43) X(K, SampledBuffer, 46) X(K, SubgroupDispatch, 58)     \
    X(K, GroupNonUniform, 61) X(K, GroupNonUniformVote, 62) X(K, GroupNonUniformArithmetic, 63)                        \
    X(K, GroupNonUniformBallot, 64) X(K, GroupNonUniformShuffle, 65) X(K, GroupNonUniformShuffleRelative, 66)          \
    X(K, GroupNonUniformClustered, 67) X(K, GroupNonUniformQuad, 68) X(K, Float8EXT, 4212)                             \
    X(K, Float8CooperativeMatrixEXT, 4213) X(K, SubgroupBallotKHR, 4423) X(K, SubgroupVoteKHR, 4431)                   \
    X(K, StorageBuffer16BitAccess, 4433) X(K, StoragePushConstant16, 4435) X(K, StorageBuffer8BitAccess, 4448)         \
    X(K, StoragePushConstant8, 4450) X(K, DenormPreserve, 4464) X(K, DenormFlushToZero, 4465)                          \
    X(K, SignedZeroInfNanPreserve, 4466) X(K, RoundingModeRTE, 4467) X(K, RoundingModeRTZ, 4468)                       \
    X(K, BFloat16TypeKHR, 5116) X(K, BFloat16DotProductKHR, 5117) X(K, BFloat16CooperativeMatrixKHR, 5118)             \
    X(K, VulkanMemoryModel, 5345) X(K, VulkanMemoryModelDeviceScope, 5346) X(K, PhysicalStorageBufferAddresses, 5347)  \
    X(K, CooperativeVectorNV, 5394) X(K, LongVectorEXT, 5425) X(K, CooperativeVectorTrainingNV, 5435)                  \
    X(K, SubgroupShuffleINTEL, 5568) X(K, SubgroupBufferBlockIOINTEL, 5569) X(K, AtomicFloat32MinMaxEXT, 5612)         \
    X(K, AtomicFloat64MinMaxEXT, 5613) X(K, AtomicFloat16MinMaxEXT, 5616) X(K, VectorAnyINTEL, 5619)                   \
    X(K, ExpectAssumeKHR, 5629) X(K, DotProductInputAll, 6016) X(K, DotProductInput4x8Bit, 6017)                       \
    X(K, DotProductInput4x8BitPacked, 6018) X(K, DotProduct, 6019) X(K, CooperativeMatrixKHR, 6022)                    \
    X(K, BitInstructions, 6025) X(K, GroupNonUniformRotateKHR, 6026) X(K, FloatControls2, 6029)                        \
    X(K, AtomicFloat32AddEXT, 6033) X(K, AtomicFloat64AddEXT, 6034) X(K, AtomicFloat16AddEXT, 6095)                    \
    X(K, BFloat16ConversionINTEL, 6115) X(K, SplitBarrierINTEL, 6141) X(K, GlobalVariableHostAccessINTEL, 6187)        \
    X(K, SubgroupBufferPrefetchINTEL, 6220) X(K, Subgroup2DBlockIOINTEL, 6228)                                         \
    X(K, Subgroup2DBlockTransformINTEL, 6229) X(K, Subgroup2DBlockTransposeINTEL, 6230)                                \
    X(K, SubgroupMatrixMultiplyAccumulateINTEL, 6236) X(K, PredicatedIOINTEL, 6257)                                    \
    X(K, SubgroupScaledMatrixMultiplyAccumulateINTEL, 6263) X(K, GroupUniformArithmeticKHR, 6400)                      \
    X(K, TensorFloat32RoundingINTEL, 6425) X(K, CacheControlsINTEL, 6441) X(K, RegisterLimitsINTEL, 6460)
#define SPE_BuiltIn_(X, K)                                                                                             \
    X(K, NumWorkgroups, 24) X(K, WorkgroupSize, 25) X(K, WorkgroupId, 26) X(K, LocalInvocationId, 27)                  \
    X(K, GlobalInvocationId, 28) X(K, LocalInvocationIndex, 29) X(K, WorkDim, 30) X(K, GlobalSize, 31)                 \
    X(K, EnqueuedWorkgroupSize, 32) X(K, GlobalOffset, 33) X(K, GlobalLinearId, 34) X(K, SubgroupSize, 36)             \
    X(K, SubgroupMaxSize, 37) X(K, NumSubgroups, 38) X(K, NumEnqueuedSubgroups, 39) X(K, SubgroupId, 40)               \
    X(K, SubgroupLocalInvocationId, 41) X(K, SubgroupEqMask, 4416) X(K, SubgroupGeMask, 4417)                          \
    X(K, SubgroupGtMask, 4418) X(K, SubgroupLeMask, 4419) X(K, SubgroupLtMask, 4420)
#define SPE_Decoration_(X, K)                                                                                          \
    X(K, SpecId, 1) X(K, Block, 2) X(K, ArrayStride, 6) X(K, CPacked, 10) X(K, BuiltIn, 11) X(K, Restrict, 19)         \
    X(K, Aliased, 20) X(K, Volatile, 21) X(K, Constant, 22) X(K, Coherent, 23) X(K, NonWritable, 24)                   \
    X(K, NonReadable, 25) X(K, SaturatedConversion, 28) X(K, Offset, 35) X(K, FuncParamAttr, 38)                       \
    X(K, FPRoundingMode, 39) X(K, FPFastMathMode, 40) X(K, LinkageAttributes, 41) X(K, NoContraction, 42)              \
    X(K, Alignment, 44) X(K, MaxByteOffset, 45) X(K, SaturatedToLargestFloat8NormalConversionEXT, 4216)                \
    X(K, NoSignedWrap, 4469) X(K, NoUnsignedWrap, 4470) X(K, AliasedPointer, 5356) X(K, HostAccessINTEL, 6188)         \
    X(K, CacheControlLoadINTEL, 6442) X(K, CacheControlStoreINTEL, 6443)
#define SPE_ExecutionMode_(X, K)                                                                                       \
    X(K, LocalSize, 17) X(K, LocalSizeHint, 18) X(K, VecTypeHint, 30) X(K, ContractionOff, 31) X(K, SubgroupSize, 35)  \
    X(K, SubgroupsPerWorkgroup, 36) X(K, SubgroupsPerWorkgroupId, 37) X(K, LocalSizeId, 38) X(K, LocalSizeHintId, 39)  \
    X(K, DenormPreserve, 4459) X(K, DenormFlushToZero, 4460) X(K, SignedZeroInfNanPreserve, 4461)                      \
    X(K, RoundingModeRTE, 4462) X(K, RoundingModeRTZ, 4463) X(K, FPFastMathDefault, 6028)                              \
    X(K, MaximumRegistersINTEL, 6461) X(K, MaximumRegistersIdINTEL, 6462) X(K, NamedMaximumRegistersINTEL, 6463)
#define SPE_StorageClass_(X, K)                                                                                        \
    X(K, UniformConstant, 0) X(K, Input, 1) X(K, Workgroup, 4) X(K, CrossWorkgroup, 5) X(K, Private, 6)                \
    X(K, Function, 7) X(K, Generic, 8) X(K, PushConstant, 9) X(K, Image, 11) X(K, PhysicalStorageBuffer, 5349)
#define SPE_MemorySemantics_(X, K)                                                                                     \
    X(K, Relaxed, 0) X(K, Acquire, 2) X(K, Release, 4) X(K, AcquireRelease, 8) X(K, SequentiallyConsistent, 16)        \
    X(K, UniformMemory, 64) X(K, SubgroupMemory, 128) X(K, WorkgroupMemory, 256) X(K, CrossWorkgroupMemory, 512)       \
    X(K, MakeAvailable, 8192) X(K, MakeVisible, 16384)
#define SPE_FunctionParameterAttribute_(X, K)                                                                          \
    X(K, Zext, 0) X(K, Sext, 1) X(K, NoAlias, 4) X(K, NoCapture, 5) X(K, NoWrite, 6) X(K, NoReadWrite, 7)
#define SPE_CooperativeMatrixOperands_(X, K)                                                                           \
    X(K, MatrixASignedComponentsKHR, 1) X(K, MatrixBSignedComponentsKHR, 2) X(K, MatrixCSignedComponentsKHR, 4)        \
    X(K, MatrixResultSignedComponentsKHR, 8) X(K, SaturatingAccumulationKHR, 16)
#define SPE_MatrixMultiplyAccumulateOperands_(X, K)                                                                    \
    X(K, MatrixASignedComponentsINTEL, 1) X(K, MatrixBSignedComponentsINTEL, 2) X(K, MatrixCBFloat16INTEL, 4)          \
    X(K, MatrixResultBFloat16INTEL, 8) X(K, MatrixAPackedInt8INTEL, 16) X(K, MatrixBPackedInt8INTEL, 32)               \
    X(K, MatrixAPackedInt4INTEL, 64) X(K, MatrixBPackedInt4INTEL, 128) X(K, MatrixATF32INTEL, 256)                     \
    X(K, MatrixBTF32INTEL, 512) X(K, MatrixAPackedFloat16INTEL, 1024) X(K, MatrixBPackedFloat16INTEL, 2048)            \
    X(K, MatrixAPackedBFloat16INTEL, 4096) X(K, MatrixBPackedBFloat16INTEL, 8192)                                      \
    X(K, MatrixAPackedFloat8E4M3INTEL, 16384) X(K, MatrixBPackedFloat8E4M3INTEL, 32768)                                \
    X(K, MatrixAPackedFloat8E5M2INTEL, 65536) X(K, MatrixBPackedFloat8E5M2INTEL, 131072)                               \
    X(K, MatrixAPackedFloat4E2M1INTEL, 262144) X(K, MatrixBPackedFloat4E2M1INTEL, 524288)                              \
    X(K, ScaleAFloat8E8M0INTEL, 1048576) X(K, ScaleBFloat8E8M0INTEL, 2097152)
#define SPE_SamplerAddressingMode_(X, K)                                                                               \
    X(K, None, 0) X(K, ClampToEdge, 1) X(K, Clamp, 2) X(K, Repeat, 3) X(K, RepeatMirrored, 4)
#define SPE_CooperativeVectorMatrixLayout_(X, K)                                                                       \
    X(K, RowMajorNV, 0) X(K, ColumnMajorNV, 1) X(K, InferencingOptimalNV, 2) X(K, TrainingOptimalNV, 3)
#define SPE_ComponentType_(X, K)                                                                                       \
    X(K, Float16NV, 0) X(K, Float32NV, 1) X(K, Float64NV, 2) X(K, SignedInt8NV, 3) X(K, SignedInt16NV, 4)              \
    X(K, SignedInt32NV, 5) X(K, SignedInt64NV, 6) X(K, UnsignedInt8NV, 7) X(K, UnsignedInt16NV, 8)                     \
    X(K, UnsignedInt32NV, 9) X(K, UnsignedInt64NV, 10) X(K, SignedInt8PackedNV, 1000491000)                            \
    X(K, UnsignedInt8PackedNV, 1000491001) X(K, FloatE4M3NV, 1000491002) X(K, FloatE5M2NV, 1000491003)
#define SPE_CAPABILITIES(X)                                                                                            \
    SPE_Capability_(X, Capability)
#define SPE_ENUMERANTS(X)                                                                                              \
    SPE_BuiltIn_(X, BuiltIn) SPE_Decoration_(X, Decoration) SPE_ExecutionMode_(X, ExecutionMode)                       \
    SPE_StorageClass_(X, StorageClass) X(Scope, CrossDevice, 0) X(Scope, Device, 1) X(Scope, Workgroup, 2)             \
    X(Scope, Subgroup, 3) X(Scope, Invocation, 4) SPE_MemorySemantics_(X, MemorySemantics)                             \
    X(MemoryAccess, Volatile, 1) X(MemoryAccess, Aligned, 2) X(MemoryAccess, Nontemporal, 4)                           \
    X(MemoryAccess, NonPrivatePointer, 32) X(AddressingModel, Logical, 0) X(AddressingModel, Physical32, 1)            \
    X(AddressingModel, Physical64, 2) X(AddressingModel, PhysicalStorageBuffer64, 5348) X(MemoryModel, OpenCL, 2)      \
    X(MemoryModel, Vulkan, 3) X(ExecutionModel, GLCompute, 5) X(ExecutionModel, Kernel, 6)                             \
    X(SourceLanguage, Unknown, 0) X(SourceLanguage, OpenCL_C, 3) X(FunctionControl, Inline, 1)                         \
    X(FunctionControl, DontInline, 2) X(FunctionControl, Pure, 4) X(FunctionControl, Const, 8)                         \
    SPE_FunctionParameterAttribute_(X, FunctionParameterAttribute) X(LinkageType, Export, 0) X(LinkageType, Import, 1) \
    X(SelectionControl, Flatten, 1) X(SelectionControl, DontFlatten, 2) X(LoopControl, Unroll, 1)                      \
    X(LoopControl, DontUnroll, 2) X(LoopControl, DependencyInfinite, 4) X(LoopControl, DependencyLength, 8)            \
    X(LoopControl, MinIterations, 16) X(LoopControl, MaxIterations, 32) X(LoopControl, IterationMultiple, 64)          \
    X(LoopControl, PeelCount, 128) X(LoopControl, PartialCount, 256) X(GroupOperation, Reduce, 0)                      \
    X(GroupOperation, InclusiveScan, 1) X(GroupOperation, ExclusiveScan, 2) X(GroupOperation, ClusteredReduce, 3)      \
    X(FPRoundingMode, RTE, 0) X(FPRoundingMode, RTZ, 1) X(FPRoundingMode, RTP, 2) X(FPRoundingMode, RTN, 3)            \
    X(FPEncoding, BFloat16KHR, 0) X(FPEncoding, Float8E4M3EXT, 4214) X(FPEncoding, Float8E5M2EXT, 4215)                \
    X(CooperativeMatrixUse, MatrixAKHR, 0) X(CooperativeMatrixUse, MatrixBKHR, 1)                                      \
    X(CooperativeMatrixUse, MatrixAccumulatorKHR, 2) X(CooperativeMatrixLayout, RowMajorKHR, 0)                        \
    X(CooperativeMatrixLayout, ColumnMajorKHR, 1) SPE_CooperativeMatrixOperands_(X, CooperativeMatrixOperands)         \
    SPE_MatrixMultiplyAccumulateOperands_(X, MatrixMultiplyAccumulateOperands) X(LoadCacheControl, UncachedINTEL, 0)   \
    X(LoadCacheControl, CachedINTEL, 1) X(LoadCacheControl, StreamingINTEL, 2)                                         \
    X(LoadCacheControl, InvalidateAfterReadINTEL, 3) X(LoadCacheControl, ConstCachedINTEL, 4)                          \
    X(StoreCacheControl, UncachedINTEL, 0) X(StoreCacheControl, WriteThroughINTEL, 1)                                  \
    X(StoreCacheControl, WriteBackINTEL, 2) X(StoreCacheControl, StreamingINTEL, 3)                                    \
    X(NamedMaximumNumberOfRegisters, AutoINTEL, 0) X(Dim, 1D, 0) X(Dim, 2D, 1) X(Dim, 3D, 2) X(Dim, Buffer, 5)         \
    X(AccessQualifier, ReadOnly, 0) X(AccessQualifier, WriteOnly, 1) X(AccessQualifier, ReadWrite, 2)                  \
    SPE_SamplerAddressingMode_(X, SamplerAddressingMode) X(SamplerFilterMode, Nearest, 0)                              \
    X(SamplerFilterMode, Linear, 1) SPE_CooperativeVectorMatrixLayout_(X, CooperativeVectorMatrixLayout)               \
    SPE_ComponentType_(X, ComponentType)

/* OpenCL.std, X(our name, the name in the set, number, operands); SPE_<our name> is what spe_math takes. */
#define SPE_MATH_LIST(X)                                                                                               \
    X(ACOS, acos, 0, 1) X(ACOSH, acosh, 1, 1) X(ACOSPI, acospi, 2, 1) X(ASIN, asin, 3, 1) X(ASINH, asinh, 4, 1)        \
    X(ASINPI, asinpi, 5, 1) X(ATAN, atan, 6, 1) X(ATAN2, atan2, 7, 2) X(ATANH, atanh, 8, 1) X(ATANPI, atanpi, 9, 1)    \
    X(ATAN2PI, atan2pi, 10, 2) X(CBRT, cbrt, 11, 1) X(CEIL, ceil, 12, 1) X(COPYSIGN, copysign, 13, 2)                  \
    X(COS, cos, 14, 1) X(COSH, cosh, 15, 1) X(COSPI, cospi, 16, 1) X(ERFC, erfc, 17, 1) X(ERF, erf, 18, 1)             \
    X(EXP, exp, 19, 1) X(EXP2, exp2, 20, 1) X(EXP10, exp10, 21, 1) X(EXPM1, expm1, 22, 1) X(FABS, fabs, 23, 1)         \
    X(FDIM, fdim, 24, 2) X(FLOOR, floor, 25, 1) X(FMA, fma, 26, 3) X(FMAX, fmax, 27, 2) X(FMIN, fmin, 28, 2)           \
    X(FMOD, fmod, 29, 2) X(HYPOT, hypot, 32, 2) X(LDEXP, ldexp, 34, 2) X(LGAMMA, lgamma, 35, 1) X(LOG, log, 37, 1)     \
    X(LOG2, log2, 38, 1) X(LOG10, log10, 39, 1) X(LOG1P, log1p, 40, 1) X(LOGB, logb, 41, 1) X(MAD, mad, 42, 3)         \
    X(MAXMAG, maxmag, 43, 2) X(MINMAG, minmag, 44, 2) X(NEXTAFTER, nextafter, 47, 2) X(POW, pow, 48, 2)                \
    X(POWN, pown, 49, 2) X(POWR, powr, 50, 2) X(REMAINDER, remainder, 51, 2) X(RINT, rint, 53, 1)                      \
    X(ROOTN, rootn, 54, 2) X(ROUND, round, 55, 1) X(RSQRT, rsqrt, 56, 1) X(SIN, sin, 57, 1) X(SINH, sinh, 59, 1)       \
    X(SINPI, sinpi, 60, 1) X(SQRT, sqrt, 61, 1) X(TAN, tan, 62, 1) X(TANH, tanh, 63, 1) X(TANPI, tanpi, 64, 1)         \
    X(TGAMMA, tgamma, 65, 1) X(TRUNC, trunc, 66, 1) X(NATIVE_COS, native_cos, 81, 1)                                   \
    X(NATIVE_DIVIDE, native_divide, 82, 2) X(NATIVE_EXP, native_exp, 83, 1) X(NATIVE_EXP2, native_exp2, 84, 1)         \
    X(NATIVE_EXP10, native_exp10, 85, 1) X(NATIVE_LOG, native_log, 86, 1) X(NATIVE_LOG2, native_log2, 87, 1)           \
    X(NATIVE_LOG10, native_log10, 88, 1) X(NATIVE_POWR, native_powr, 89, 2) X(NATIVE_RECIP, native_recip, 90, 1)       \
    X(NATIVE_RSQRT, native_rsqrt, 91, 1) X(NATIVE_SIN, native_sin, 92, 1) X(NATIVE_SQRT, native_sqrt, 93, 1)           \
    X(NATIVE_TAN, native_tan, 94, 1) X(FCLAMP, fclamp, 95, 3) X(MIX, mix, 99, 3) X(STEP, step, 101, 2)                 \
    X(SMOOTHSTEP, smoothstep, 102, 3) X(SIGN, sign, 103, 1) X(SABS, s_abs, 141, 1) X(SABS_DIFF, s_abs_diff, 142, 2)    \
    X(SADD_SAT, s_add_sat, 143, 2) X(UADD_SAT, u_add_sat, 144, 2) X(SHADD, s_hadd, 145, 2) X(UHADD, u_hadd, 146, 2)    \
    X(SRHADD, s_rhadd, 147, 2) X(URHADD, u_rhadd, 148, 2) X(SCLAMP, s_clamp, 149, 3) X(UCLAMP, u_clamp, 150, 3)        \
    X(CLZ, clz, 151, 1) X(CTZ, ctz, 152, 1) X(SMAD_HI, s_mad_hi, 153, 3) X(UMAD_SAT, u_mad_sat, 154, 3)                \
    X(SMAD_SAT, s_mad_sat, 155, 3) X(SMAX, s_max, 156, 2) X(UMAX, u_max, 157, 2) X(SMIN, s_min, 158, 2)                \
    X(UMIN, u_min, 159, 2) X(SMUL_HI, s_mul_hi, 160, 2) X(ROTATE, rotate, 161, 2) X(SSUB_SAT, s_sub_sat, 162, 2)       \
    X(USUB_SAT, u_sub_sat, 163, 2) X(POPCOUNT, popcount, 166, 1) X(SMAD24, s_mad24, 167, 3) X(UMAD24, u_mad24, 168, 3) \
    X(SMUL24, s_mul24, 169, 2) X(UMUL24, u_mul24, 170, 2) X(UABS, u_abs, 201, 1) X(UABS_DIFF, u_abs_diff, 202, 2)      \
    X(UMUL_HI, u_mul_hi, 203, 2) X(UMAD_HI, u_mad_hi, 204, 3)
