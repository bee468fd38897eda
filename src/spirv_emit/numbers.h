/* numbers.h - the numbers of SPIR-V, written by src/spirv_emit/numbers.py. */
#define SPE_OPCODES(X)                                                                                                 \
    X(Op, Nop, 0) X(Op, Undef, 1) X(Op, Source, 3) X(Op, Name, 5) X(Op, String, 7) X(Op, Line, 8) X(Op, Extension, 10) \
    X(Op, ExtInstImport, 11) X(Op, ExtInst, 12) X(Op, MemoryModel, 14) X(Op, EntryPoint, 15) X(Op, ExecutionMode, 16)  \
    X(Op, Capability, 17) X(Op, TypeVoid, 19) X(Op, TypeBool, 20) X(Op, TypeInt, 21) X(Op, TypeFloat, 22)              \
    X(Op, TypeVector, 23) X(Op, TypeArray, 28) X(Op, TypeStruct, 30) X(Op, TypePointer, 32) X(Op, TypeFunction, 33)    \
    X(Op, TypeEvent, 34) X(Op, ConstantTrue, 41) X(Op, ConstantFalse, 42) X(Op, Constant, 43)                          \
    X(Op, ConstantComposite, 44) X(Op, ConstantNull, 46) X(Op, SpecConstantTrue, 48) X(Op, SpecConstantFalse, 49)      \
    X(Op, SpecConstant, 50) X(Op, SpecConstantComposite, 51) X(Op, Function, 54) X(Op, FunctionParameter, 55)          \
    X(Op, FunctionEnd, 56) X(Op, FunctionCall, 57) X(Op, Variable, 59) X(Op, Load, 61) X(Op, Store, 62)                \
    X(Op, CopyMemory, 63) X(Op, CopyMemorySized, 64) X(Op, AccessChain, 65) X(Op, InBoundsAccessChain, 66)             \
    X(Op, PtrAccessChain, 67) X(Op, GenericPtrMemSemantics, 69) X(Op, InBoundsPtrAccessChain, 70) X(Op, Decorate, 71)  \
    X(Op, MemberDecorate, 72) X(Op, VectorExtractDynamic, 77) X(Op, VectorInsertDynamic, 78) X(Op, VectorShuffle, 79)  \
    X(Op, CompositeConstruct, 80) X(Op, CompositeExtract, 81) X(Op, CompositeInsert, 82) X(Op, CopyObject, 83)         \
    X(Op, ConvertFToU, 109) X(Op, ConvertFToS, 110) X(Op, ConvertSToF, 111) X(Op, ConvertUToF, 112)                    \
    X(Op, UConvert, 113) X(Op, SConvert, 114) X(Op, FConvert, 115) X(Op, ConvertPtrToU, 117)                           \
    X(Op, SatConvertSToU, 118) X(Op, SatConvertUToS, 119) X(Op, ConvertUToPtr, 120) X(Op, PtrCastToGeneric, 121)       \
    X(Op, GenericCastToPtr, 122) X(Op, GenericCastToPtrExplicit, 123) X(Op, Bitcast, 124) X(Op, SNegate, 126)          \
    X(Op, FNegate, 127) X(Op, IAdd, 128) X(Op, FAdd, 129) X(Op, ISub, 130) X(Op, FSub, 131) X(Op, IMul, 132)           \
    X(Op, FMul, 133) X(Op, UDiv, 134) X(Op, SDiv, 135) X(Op, FDiv, 136) X(Op, UMod, 137) X(Op, SRem, 138)              \
    X(Op, SMod, 139) X(Op, FRem, 140) X(Op, FMod, 141) X(Op, VectorTimesScalar, 142) X(Op, MatrixTimesScalar, 143)     \
    X(Op, Dot, 148) X(Op, IAddCarry, 149) X(Op, ISubBorrow, 150) X(Op, UMulExtended, 151) X(Op, SMulExtended, 152)     \
    X(Op, Any, 154) X(Op, All, 155) X(Op, IsNan, 156) X(Op, IsInf, 157) X(Op, IsFinite, 158) X(Op, IsNormal, 159)      \
    X(Op, SignBitSet, 160) X(Op, LessOrGreater, 161) X(Op, Ordered, 162) X(Op, Unordered, 163)                         \
    X(Op, LogicalEqual, 164) X(Op, LogicalNotEqual, 165) X(Op, LogicalOr, 166) X(Op, LogicalAnd, 167)                  \
    X(Op, LogicalNot, 168) X(Op, Select, 169) X(Op, IEqual, 170) X(Op, INotEqual, 171) X(Op, UGreaterThan, 172)        \
    X(Op, SGreaterThan, 173) X(Op, UGreaterThanEqual, 174) X(Op, SGreaterThanEqual, 175) X(Op, ULessThan, 176)         \
    X(Op, SLessThan, 177) X(Op, ULessThanEqual, 178) X(Op, SLessThanEqual, 179) X(Op, FOrdEqual, 180)                  \
    X(Op, FUnordEqual, 181) X(Op, FOrdNotEqual, 182) X(Op, FUnordNotEqual, 183) X(Op, FOrdLessThan, 184)               \
    X(Op, FUnordLessThan, 185) X(Op, FOrdGreaterThan, 186) X(Op, FUnordGreaterThan, 187) X(Op, FOrdLessThanEqual, 188) \
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
    X(Op, PredicatedStoreINTEL, 6259) X(Op, GroupIMulKHR, 6401) X(Op, GroupFMulKHR, 6402)                              \
    X(Op, GroupBitwiseAndKHR, 6403) X(Op, GroupBitwiseOrKHR, 6404) X(Op, GroupBitwiseXorKHR, 6405)                     \
    X(Op, GroupLogicalAndKHR, 6406) X(Op, GroupLogicalOrKHR, 6407) X(Op, GroupLogicalXorKHR, 6408)                     \
    X(Op, RoundFToTF32INTEL, 6426)

#define SPE_CAPABILITIES(X)                                                                                            \
    X(Capability, Matrix, 0) X(Capability, Shader, 1) X(Capability, Addresses, 4) X(Capability, Linkage, 5)            \
    X(Capability, Kernel, 6) X(Capability, Vector16, 7) X(Capability, Float16Buffer, 8) X(Capability, Float16, 9)      \
    X(Capability, Float64, 10) X(Capability, Int64, 11) X(Capability, Int64Atomics, 12) X(Capability, Groups, 18)      \
    X(Capability, Int16, 22) X(Capability, GenericPointer, 38) X(Capability, Int8, 39)                                 \
    X(Capability, SubgroupDispatch, 58) X(Capability, GroupNonUniform, 61) X(Capability, GroupNonUniformVote, 62)      \
    X(Capability, GroupNonUniformArithmetic, 63) X(Capability, GroupNonUniformBallot, 64)                              \
    X(Capability, GroupNonUniformShuffle, 65) X(Capability, GroupNonUniformShuffleRelative, 66)                        \
    X(Capability, GroupNonUniformClustered, 67) X(Capability, GroupNonUniformQuad, 68) X(Capability, Float8EXT, 4212)  \
    X(Capability, Float8CooperativeMatrixEXT, 4213) X(Capability, SubgroupBallotKHR, 4423)                             \
    X(Capability, SubgroupVoteKHR, 4431) X(Capability, DenormPreserve, 4464) X(Capability, DenormFlushToZero, 4465)    \
    X(Capability, SignedZeroInfNanPreserve, 4466) X(Capability, RoundingModeRTE, 4467)                                 \
    X(Capability, RoundingModeRTZ, 4468) X(Capability, BFloat16TypeKHR, 5116)                                          \
    X(Capability, BFloat16DotProductKHR, 5117) X(Capability, BFloat16CooperativeMatrixKHR, 5118)                       \
    X(Capability, CooperativeVectorNV, 5394) X(Capability, LongVectorEXT, 5425)                                        \
    X(Capability, CooperativeVectorTrainingNV, 5435) X(Capability, SubgroupShuffleINTEL, 5568)                         \
    X(Capability, SubgroupBufferBlockIOINTEL, 5569) X(Capability, AtomicFloat32MinMaxEXT, 5612)                        \
    X(Capability, AtomicFloat64MinMaxEXT, 5613) X(Capability, AtomicFloat16MinMaxEXT, 5616)                            \
    X(Capability, VectorAnyINTEL, 5619) X(Capability, ExpectAssumeKHR, 5629) X(Capability, DotProductInputAll, 6016)   \
    X(Capability, DotProductInput4x8Bit, 6017) X(Capability, DotProductInput4x8BitPacked, 6018)                        \
    X(Capability, DotProduct, 6019) X(Capability, CooperativeMatrixKHR, 6022) X(Capability, BitInstructions, 6025)     \
    X(Capability, GroupNonUniformRotateKHR, 6026) X(Capability, FloatControls2, 6029)                                  \
    X(Capability, AtomicFloat32AddEXT, 6033) X(Capability, AtomicFloat64AddEXT, 6034)                                  \
    X(Capability, AtomicFloat16AddEXT, 6095) X(Capability, BFloat16ConversionINTEL, 6115)                              \
    X(Capability, SplitBarrierINTEL, 6141) X(Capability, GlobalVariableHostAccessINTEL, 6187)                          \
    X(Capability, SubgroupBufferPrefetchINTEL, 6220) X(Capability, Subgroup2DBlockIOINTEL, 6228)                       \
    X(Capability, Subgroup2DBlockTransformINTEL, 6229) X(Capability, Subgroup2DBlockTransposeINTEL, 6230)              \
    X(Capability, SubgroupMatrixMultiplyAccumulateINTEL, 6236) X(Capability, PredicatedIOINTEL, 6257)                  \
    X(Capability, GroupUniformArithmeticKHR, 6400) X(Capability, TensorFloat32RoundingINTEL, 6425)                     \
    X(Capability, CacheControlsINTEL, 6441) X(Capability, RegisterLimitsINTEL, 6460)

#define SPE_ENUMERANTS(X)                                                                                              \
    X(BuiltIn, NumWorkgroups, 24) X(BuiltIn, WorkgroupSize, 25) X(BuiltIn, WorkgroupId, 26)                            \
    X(BuiltIn, LocalInvocationId, 27) X(BuiltIn, GlobalInvocationId, 28) X(BuiltIn, LocalInvocationIndex, 29)          \
    X(BuiltIn, WorkDim, 30) X(BuiltIn, GlobalSize, 31) X(BuiltIn, EnqueuedWorkgroupSize, 32)                           \
    X(BuiltIn, GlobalOffset, 33) X(BuiltIn, GlobalLinearId, 34) X(BuiltIn, SubgroupSize, 36)                           \
    X(BuiltIn, SubgroupMaxSize, 37) X(BuiltIn, NumSubgroups, 38) X(BuiltIn, NumEnqueuedSubgroups, 39)                  \
    X(BuiltIn, SubgroupId, 40) X(BuiltIn, SubgroupLocalInvocationId, 41) X(BuiltIn, SubgroupEqMask, 4416)              \
    X(BuiltIn, SubgroupGeMask, 4417) X(BuiltIn, SubgroupGtMask, 4418) X(BuiltIn, SubgroupLeMask, 4419)                 \
    X(BuiltIn, SubgroupLtMask, 4420) X(Decoration, SpecId, 1) X(Decoration, CPacked, 10) X(Decoration, BuiltIn, 11)    \
    X(Decoration, Restrict, 19) X(Decoration, Aliased, 20) X(Decoration, Volatile, 21) X(Decoration, Constant, 22)     \
    X(Decoration, Coherent, 23) X(Decoration, NonWritable, 24) X(Decoration, NonReadable, 25)                          \
    X(Decoration, SaturatedConversion, 28) X(Decoration, FuncParamAttr, 38) X(Decoration, FPRoundingMode, 39)          \
    X(Decoration, FPFastMathMode, 40) X(Decoration, LinkageAttributes, 41) X(Decoration, Alignment, 44)                \
    X(Decoration, MaxByteOffset, 45) X(Decoration, SaturatedToLargestFloat8NormalConversionEXT, 4216)                  \
    X(Decoration, NoSignedWrap, 4469) X(Decoration, NoUnsignedWrap, 4470) X(Decoration, HostAccessINTEL, 6188)         \
    X(Decoration, CacheControlLoadINTEL, 6442) X(Decoration, CacheControlStoreINTEL, 6443)                             \
    X(ExecutionMode, LocalSize, 17) X(ExecutionMode, LocalSizeHint, 18) X(ExecutionMode, VecTypeHint, 30)              \
    X(ExecutionMode, ContractionOff, 31) X(ExecutionMode, SubgroupSize, 35)                                            \
    X(ExecutionMode, SubgroupsPerWorkgroup, 36) X(ExecutionMode, SubgroupsPerWorkgroupId, 37)                          \
    X(ExecutionMode, LocalSizeId, 38) X(ExecutionMode, LocalSizeHintId, 39) X(ExecutionMode, DenormPreserve, 4459)     \
    X(ExecutionMode, DenormFlushToZero, 4460) X(ExecutionMode, SignedZeroInfNanPreserve, 4461)                         \
    X(ExecutionMode, RoundingModeRTE, 4462) X(ExecutionMode, RoundingModeRTZ, 4463)                                    \
    X(ExecutionMode, FPFastMathDefault, 6028) X(ExecutionMode, MaximumRegistersINTEL, 6461)                            \
    X(ExecutionMode, MaximumRegistersIdINTEL, 6462) X(ExecutionMode, NamedMaximumRegistersINTEL, 6463)                 \
    X(StorageClass, UniformConstant, 0) X(StorageClass, Input, 1) X(StorageClass, Workgroup, 4)                        \
    X(StorageClass, CrossWorkgroup, 5) X(StorageClass, Private, 6) X(StorageClass, Function, 7)                        \
    X(StorageClass, Generic, 8) X(StorageClass, Image, 11) X(Scope, CrossDevice, 0) X(Scope, Device, 1)                \
    X(Scope, Workgroup, 2) X(Scope, Subgroup, 3) X(Scope, Invocation, 4) X(MemorySemantics, Relaxed, 0)                \
    X(MemorySemantics, Acquire, 2) X(MemorySemantics, Release, 4) X(MemorySemantics, AcquireRelease, 8)                \
    X(MemorySemantics, SequentiallyConsistent, 16) X(MemorySemantics, SubgroupMemory, 128)                             \
    X(MemorySemantics, WorkgroupMemory, 256) X(MemorySemantics, CrossWorkgroupMemory, 512)                             \
    X(MemoryAccess, Volatile, 1) X(MemoryAccess, Aligned, 2) X(MemoryAccess, Nontemporal, 4)                           \
    X(AddressingModel, Logical, 0) X(AddressingModel, Physical32, 1) X(AddressingModel, Physical64, 2)                 \
    X(MemoryModel, OpenCL, 2) X(ExecutionModel, Kernel, 6) X(SourceLanguage, Unknown, 0)                               \
    X(SourceLanguage, OpenCL_C, 3) X(FunctionControl, Inline, 1) X(FunctionControl, DontInline, 2)                     \
    X(FunctionControl, Pure, 4) X(FunctionControl, Const, 8) X(FunctionParameterAttribute, Zext, 0)                    \
    X(FunctionParameterAttribute, Sext, 1) X(FunctionParameterAttribute, NoAlias, 4)                                   \
    X(FunctionParameterAttribute, NoCapture, 5) X(FunctionParameterAttribute, NoWrite, 6)                              \
    X(FunctionParameterAttribute, NoReadWrite, 7) X(LinkageType, Export, 0) X(LinkageType, Import, 1)                  \
    X(SelectionControl, Flatten, 1) X(SelectionControl, DontFlatten, 2) X(LoopControl, Unroll, 1)                      \
    X(LoopControl, DontUnroll, 2) X(GroupOperation, Reduce, 0) X(GroupOperation, InclusiveScan, 1)                     \
    X(GroupOperation, ExclusiveScan, 2) X(GroupOperation, ClusteredReduce, 3) X(FPRoundingMode, RTE, 0)                \
    X(FPRoundingMode, RTZ, 1) X(FPRoundingMode, RTP, 2) X(FPRoundingMode, RTN, 3) X(FPEncoding, BFloat16KHR, 0)        \
    X(FPEncoding, Float8E4M3EXT, 4214) X(FPEncoding, Float8E5M2EXT, 4215) X(CooperativeMatrixUse, MatrixAKHR, 0)       \
    X(CooperativeMatrixUse, MatrixBKHR, 1) X(CooperativeMatrixUse, MatrixAccumulatorKHR, 2)                            \
    X(CooperativeMatrixLayout, RowMajorKHR, 0) X(CooperativeMatrixLayout, ColumnMajorKHR, 1)                           \
    X(CooperativeMatrixOperands, MatrixASignedComponentsKHR, 1)                                                        \
    X(CooperativeMatrixOperands, MatrixBSignedComponentsKHR, 2)                                                        \
    X(CooperativeMatrixOperands, MatrixCSignedComponentsKHR, 4)                                                        \
    X(CooperativeMatrixOperands, MatrixResultSignedComponentsKHR, 8)                                                   \
    X(CooperativeMatrixOperands, SaturatingAccumulationKHR, 16)                                                        \
    X(MatrixMultiplyAccumulateOperands, MatrixASignedComponentsINTEL, 1)                                               \
    X(MatrixMultiplyAccumulateOperands, MatrixBSignedComponentsINTEL, 2)                                               \
    X(MatrixMultiplyAccumulateOperands, MatrixCBFloat16INTEL, 4)                                                       \
    X(MatrixMultiplyAccumulateOperands, MatrixResultBFloat16INTEL, 8)                                                  \
    X(MatrixMultiplyAccumulateOperands, MatrixAPackedInt8INTEL, 16)                                                    \
    X(MatrixMultiplyAccumulateOperands, MatrixBPackedInt8INTEL, 32)                                                    \
    X(MatrixMultiplyAccumulateOperands, MatrixAPackedInt4INTEL, 64)                                                    \
    X(MatrixMultiplyAccumulateOperands, MatrixBPackedInt4INTEL, 128)                                                   \
    X(MatrixMultiplyAccumulateOperands, MatrixATF32INTEL, 256)                                                         \
    X(MatrixMultiplyAccumulateOperands, MatrixBTF32INTEL, 512)                                                         \
    X(MatrixMultiplyAccumulateOperands, MatrixAPackedFloat16INTEL, 1024)                                               \
    X(MatrixMultiplyAccumulateOperands, MatrixBPackedFloat16INTEL, 2048)                                               \
    X(MatrixMultiplyAccumulateOperands, MatrixAPackedBFloat16INTEL, 4096)                                              \
    X(MatrixMultiplyAccumulateOperands, MatrixBPackedBFloat16INTEL, 8192) X(LoadCacheControl, UncachedINTEL, 0)        \
    X(LoadCacheControl, CachedINTEL, 1) X(LoadCacheControl, StreamingINTEL, 2)                                         \
    X(LoadCacheControl, InvalidateAfterReadINTEL, 3) X(LoadCacheControl, ConstCachedINTEL, 4)                          \
    X(StoreCacheControl, UncachedINTEL, 0) X(StoreCacheControl, WriteThroughINTEL, 1)                                  \
    X(StoreCacheControl, WriteBackINTEL, 2) X(StoreCacheControl, StreamingINTEL, 3)                                    \
    X(NamedMaximumNumberOfRegisters, AutoINTEL, 0) X(CooperativeVectorMatrixLayout, RowMajorNV, 0)                     \
    X(CooperativeVectorMatrixLayout, ColumnMajorNV, 1) X(CooperativeVectorMatrixLayout, InferencingOptimalNV, 2)       \
    X(CooperativeVectorMatrixLayout, TrainingOptimalNV, 3) X(ComponentType, Float16NV, 0)                              \
    X(ComponentType, Float32NV, 1) X(ComponentType, Float64NV, 2) X(ComponentType, SignedInt8NV, 3)                    \
    X(ComponentType, SignedInt16NV, 4) X(ComponentType, SignedInt32NV, 5) X(ComponentType, SignedInt64NV, 6)           \
    X(ComponentType, UnsignedInt8NV, 7) X(ComponentType, UnsignedInt16NV, 8) X(ComponentType, UnsignedInt32NV, 9)      \
    X(ComponentType, UnsignedInt64NV, 10) X(ComponentType, SignedInt8PackedNV, 1000491000)                             \
    X(ComponentType, UnsignedInt8PackedNV, 1000491001) X(ComponentType, FloatE4M3NV, 1000491002)                       \
    X(ComponentType, FloatE5M2NV, 1000491003)

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
