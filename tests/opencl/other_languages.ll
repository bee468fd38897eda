; What compilers of other languages than OpenCL C make: structures by value behind pointers, names with any byte, generic
; pointers, bools in memory, structures as values and phis, addresses in initial values, LLVM's intrinsics and atomics,
; a loop with two entries.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64"
target triple = "spir64-unknown-unknown"
%"class.lib::_V1::range" = type { [3 x i64] }
%struct.pair = type { i32 addrspace(4)*, %"class.lib::_V1::range" }
%struct.deep = type { i8, { i16, [2 x { i32, i1 }] }, <3 x float> }

@__spirv_BuiltInGlobalInvocationId = external addrspace(1) constant <3 x i64>, align 32
@table = internal addrspace(1) constant [4 x i32] [i32 3, i32 5, i32 7, i32 11], align 4
@deep = internal addrspace(1) constant [2 x %struct.deep] [%struct.deep { i8 1, { i16, [2 x { i32, i1 }] } { i16 2, [2 x { i32, i1 }] [{ i32, i1 } { i32 30, i1 true }, { i32, i1 } { i32 40, i1 false }] }, <3 x float> <float 1.0, float 2.0, float 3.0> }, %struct.deep zeroinitializer], align 16
@where = internal addrspace(1) constant [2 x i32 addrspace(1)*] [i32 addrspace(1)* getelementptr inbounds ([4 x i32], [4 x i32] addrspace(1)* @table, i64 0, i64 2), i32 addrspace(1)* getelementptr inbounds ([4 x i32], [4 x i32] addrspace(1)* @table, i64 0, i64 0)], align 8
@primes = private unnamed_addr constant [4 x i32] [i32 3, i32 5, i32 7, i32 11], align 4
@pair = internal constant { i32*, i8 } { i32* getelementptr inbounds ([4 x i32], [4 x i32]* @primes, i64 0, i64 1), i8 9 }, align 8
@counter = addrspace(1) global i32 17, align 4
@"odd \22name\22\5C \0A%s \C3\A9*/" = addrspace(1) global [3 x i8] c"ab\00", align 1

declare void @llvm.memcpy.p4i8.p4i8.i64(i8 addrspace(4)*, i8 addrspace(4)*, i64, i1)
declare void @llvm.memcpy.p0i8.p1i8.i64(i8*, i8 addrspace(1)*, i64, i1)
declare void @llvm.memmove.p1i8.p1i8.i64(i8 addrspace(1)*, i8 addrspace(1)*, i64, i1)
declare void @llvm.memset.p0i8.i64(i8*, i8, i64, i1)
declare void @llvm.memset.p1i8.i64(i8 addrspace(1)*, i8, i64, i1)
declare void @llvm.lifetime.start.p0i8(i64, i8*)
declare void @llvm.lifetime.end.p0i8(i64, i8*)
declare i32 @llvm.fshl.i32(i32, i32, i32)
declare i32 @llvm.bitreverse.i32(i32)
declare i32 @llvm.ctlz.i32(i32, i1)
declare i32 @llvm.cttz.i32(i32, i1)
declare i32 @llvm.ctpop.i32(i32)
declare i32 @llvm.abs.i32(i32, i1)
declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.umax.i32(i32, i32)
declare float @llvm.fma.f32(float, float, float)
declare float @llvm.sqrt.f32(float)
declare float @llvm.copysign.f32(float, float)
declare float @llvm.minnum.f32(float, float)
declare float @llvm.floor.f32(float)
declare void @llvm.assume(i1)
declare i1 @llvm.expect.i1(i1, i1)

define spir_kernel void @"_ZTSZ4mainEUlN3lib2idILi1EEEE_"(i32 addrspace(1)* %p, %struct.pair* byval(%struct.pair) align 8 %acc, %"class.lib::_V1::range"* byval(%"class.lib::_V1::range") align 8 %off) {
entry:
  %id3 = load <3 x i64>, <3 x i64> addrspace(4)* addrspacecast (<3 x i64> addrspace(1)* @__spirv_BuiltInGlobalInvocationId to <3 x i64> addrspace(4)*), align 32
  %id = extractelement <3 x i64> %id3, i64 0
  %g = addrspacecast i32 addrspace(1)* %p to i32 addrspace(4)*
  %o0p = getelementptr inbounds %"class.lib::_V1::range", %"class.lib::_V1::range"* %off, i64 0, i32 0, i64 2
  %o = load i64, i64* %o0p, align 8
  %apg = getelementptr inbounds %struct.pair, %struct.pair* %acc, i64 0, i32 1, i32 0, i64 1
  %n = load i64, i64* %apg, align 8
  %at = getelementptr inbounds i32, i32 addrspace(4)* %g, i64 %id
  %v = add i64 %o, %n
  %w = trunc i64 %v to i32
  %old = load i32, i32 addrspace(4)* %at, align 4
  %new = add nsw i32 %old, %w
  store i32 %new, i32 addrspace(4)* %at, align 4
  ret void
}

define spir_func %struct.deep @make(i32 %x, %struct.deep* %from) {
  %a = load %struct.deep, %struct.deep* %from, align 16
  %b = insertvalue %struct.deep %a, i32 %x, 1, 1, 1, 0
  %c = extractvalue %struct.deep %b, 1
  %d = insertvalue %struct.deep %b, { i16, [2 x { i32, i1 }] } %c, 1
  ret %struct.deep %d
}

define spir_kernel void @"a kernel \22with\22 odd\5C bytes\0A \C3\A9*/ ??/ %d"(i32 addrspace(1)* %p, i32 %k) {
entry:
  %id3 = load <3 x i64>, <3 x i64> addrspace(1)* @__spirv_BuiltInGlobalInvocationId, align 32
  %id = extractelement <3 x i64> %id3, i32 0
  %bit = alloca i1, align 1
  %mine = alloca [3 x %struct.deep], align 16
  %raw = bitcast [3 x %struct.deep]* %mine to i8*
  call void @llvm.lifetime.start.p0i8(i64 144, i8* %raw)
  call void @llvm.memset.p0i8.i64(i8* %raw, i8 0, i64 144, i1 false)
  call void @llvm.memcpy.p0i8.p1i8.i64(i8* %raw, i8 addrspace(1)* bitcast ([2 x %struct.deep] addrspace(1)* @deep to i8 addrspace(1)*), i64 48, i1 false)
  %at = getelementptr i32, i32 addrspace(1)* %p, i64 %id
  %x = load i32, i32 addrspace(1)* %at
  %odd = trunc i32 %x to i1
  store i1 %odd, i1* %bit
  %first = getelementptr inbounds [3 x %struct.deep], [3 x %struct.deep]* %mine, i64 0, i64 0
  %s = call spir_func %struct.deep @make(i32 %x, %struct.deep* %first)
  %second = getelementptr inbounds [3 x %struct.deep], [3 x %struct.deep]* %mine, i64 0, i64 1
  store %struct.deep %s, %struct.deep* %second
  br i1 %odd, label %one, label %two

one:
  %s1 = insertvalue %struct.deep %s, i8 9, 0
  br label %join

two:
  %s2 = insertvalue %struct.deep %s, i16 77, 1, 0
  br label %join

join:
  %ss = phi %struct.deep [ %s1, %one ], [ %s2, %two ]
  %c0 = extractvalue %struct.deep %ss, 0
  %c1 = extractvalue %struct.deep %ss, 1, 0
  %c2 = extractvalue %struct.deep %ss, 1, 1, 1, 0
  %c3 = extractvalue %struct.deep %ss, 1, 1, 0, 1
  %c4 = extractvalue %struct.deep %ss, 2
  %f2 = extractelement <3 x float> %c4, i32 %k
  %fi = fptosi float %f2 to i32
  %e0 = sext i8 %c0 to i32
  %e1 = zext i16 %c1 to i32
  %e3 = sext i1 %c3 to i32
  %b2 = load i1, i1* %bit
  %e4 = zext i1 %b2 to i32
  %t0 = add i32 %e0, %e1
  %t1 = add i32 %t0, %c2
  %t2 = add i32 %t1, %e3
  %t3 = add i32 %t2, %e4
  %t4 = add i32 %t3, %fi
  %wi = and i64 %id, 1
  %wp = getelementptr [2 x i32 addrspace(1)*], [2 x i32 addrspace(1)*] addrspace(1)* @where, i64 0, i64 %wi
  %tp = load i32 addrspace(1)*, i32 addrspace(1)* addrspace(1)* %wp
  %tv = load i32, i32 addrspace(1)* %tp
  %t5 = add i32 %t4, %tv
  %oddp = load i8, i8 addrspace(1)* getelementptr inbounds ([3 x i8], [3 x i8] addrspace(1)* @"odd \22name\22\5C \0A%s \C3\A9*/", i64 0, i64 1)
  %ov = zext i8 %oddp to i32
  %t6 = add i32 %t5, %ov
  store i32 %t6, i32 addrspace(1)* %at
  call void @llvm.lifetime.end.p0i8(i64 144, i8* %raw)
  ret void
}

define spir_kernel void @intrinsics(i32 addrspace(1)* %p, float addrspace(1)* %q, i64 %n) {
  %id3 = load <3 x i64>, <3 x i64> addrspace(1)* @__spirv_BuiltInGlobalInvocationId, align 32
  %id = extractelement <3 x i64> %id3, i32 0
  %at = getelementptr i32, i32 addrspace(1)* %p, i64 %id
  %x = load i32, i32 addrspace(1)* %at
  %oo = add i32 %x, -5
  %oc = icmp ult i32 %oo, %x
  %ot = insertvalue {i32, i1} undef, i32 %oo, 0
  %o = insertvalue {i32, i1} %ot, i1 %oc, 1
  %o0 = extractvalue {i32, i1} %o, 0
  %o1 = extractvalue {i32, i1} %o, 1
  %oz = zext i1 %o1 to i32
  %a = call i32 @llvm.fshl.i32(i32 %x, i32 %o0, i32 7)
  %b = call i32 @llvm.bitreverse.i32(i32 %a)
  %c = call i32 @llvm.ctlz.i32(i32 %x, i1 false)
  %d = call i32 @llvm.cttz.i32(i32 %x, i1 false)
  %e = call i32 @llvm.ctpop.i32(i32 %b)
  %f = call i32 @llvm.abs.i32(i32 %x, i1 false)
  %g = call i32 @llvm.smin.i32(i32 %f, i32 %b)
  %h = call i32 @llvm.umax.i32(i32 %g, i32 %oz)
  %i = xor i32 %h, %c
  %j = xor i32 %i, %d
  %k = xor i32 %j, %e
  %fz = add i32 %k, 0
  store i32 %fz, i32 addrspace(1)* %at
  %cmp = icmp ult i64 %id, %n
  call void @llvm.assume(i1 true)
  %ex = call i1 @llvm.expect.i1(i1 %cmp, i1 true)
  br i1 %ex, label %go, label %done

go:
  %qp = getelementptr float, float addrspace(1)* %q, i64 %id
  %y = load float, float addrspace(1)* %qp
  %y1 = call float @llvm.fma.f32(float %y, float %y, float 1.0)
  %y2 = call float @llvm.sqrt.f32(float %y1)
  %y3 = call float @llvm.copysign.f32(float %y2, float %y)
  %y4 = call float @llvm.minnum.f32(float %y3, float 3.0)
  %y5 = call float @llvm.floor.f32(float %y4)
  %y6 = fneg float %y5
  %y7 = frem float %y, 0.75
  %y8 = fadd float %y7, %y6
  store float %y8, float addrspace(1)* %qp
  br label %done

done:
  ret void
}

define spir_kernel void @moves(i8 addrspace(1)* %p, i64 %n) {
  %id3 = load <3 x i64>, <3 x i64> addrspace(1)* @__spirv_BuiltInGlobalInvocationId, align 32
  %id = extractelement <3 x i64> %id3, i32 0
  %o = mul i64 %id, 64
  %a = getelementptr i8, i8 addrspace(1)* %p, i64 %o
  %b = getelementptr i8, i8 addrspace(1)* %a, i64 3
  call void @llvm.memmove.p1i8.p1i8.i64(i8 addrspace(1)* %b, i8 addrspace(1)* %a, i64 20, i1 false)
  %c = getelementptr i8, i8 addrspace(1)* %a, i64 40
  call void @llvm.memset.p1i8.i64(i8 addrspace(1)* %c, i8 7, i64 9, i1 false)
  %d = getelementptr i8, i8 addrspace(1)* %a, i64 50
  %a4 = addrspacecast i8 addrspace(1)* %a to i8 addrspace(4)*
  %d4 = addrspacecast i8 addrspace(1)* %d to i8 addrspace(4)*
  call void @llvm.memcpy.p4i8.p4i8.i64(i8 addrspace(4)* %d4, i8 addrspace(4)* %a4, i64 %n, i1 false)
  ret void
}

define spir_kernel void @atomics(i32 addrspace(1)* %p, i64 addrspace(1)* %q) {
  %a = atomicrmw add i32 addrspace(1)* %p, i32 1 seq_cst
  %b = atomicrmw umin i64 addrspace(1)* %q, i64 5 monotonic
  %c = atomicrmw xchg i32 addrspace(1)* @counter, i32 %a acq_rel
  %pq = getelementptr i32, i32 addrspace(1)* %p, i64 1
  %d = cmpxchg i32 addrspace(1)* %pq, i32 %a, i32 %c seq_cst acquire
  %d0 = extractvalue {i32, i1} %d, 0
  %d1 = extractvalue {i32, i1} %d, 1
  %e = zext i1 %d1 to i32
  %f = add i32 %e, %d0
  %pr = getelementptr i32, i32 addrspace(1)* %p, i64 2
  %g = atomicrmw xor i32 addrspace(1)* %pr, i32 %f seq_cst
  fence seq_cst
  ret void
}

define spir_kernel void @irreducible(i32 addrspace(1)* %p, i32 %n) {
entry:
  %id3 = load <3 x i64>, <3 x i64> addrspace(1)* @__spirv_BuiltInGlobalInvocationId, align 32
  %id = extractelement <3 x i64> %id3, i32 0
  %at = getelementptr i32, i32 addrspace(1)* %p, i64 %id
  %x = load i32, i32 addrspace(1)* %at
  %c = icmp sgt i32 %x, %n
  br i1 %c, label %a, label %b

a:
  %va = phi i32 [ %x, %entry ], [ %vb2, %b ]
  %ia = phi i32 [ 0, %entry ], [ %ib2, %b ]
  %va2 = mul i32 %va, 3
  %ia2 = add i32 %ia, 1
  %ca = icmp ult i32 %ia2, 9
  br i1 %ca, label %b, label %out

b:
  %vb = phi i32 [ %n, %entry ], [ %va2, %a ]
  %ib = phi i32 [ 2, %entry ], [ %ia2, %a ]
  %vb2 = add i32 %vb, 5
  %ib2 = add i32 %ib, 1
  %cb = icmp ult i32 %ib2, 11
  br i1 %cb, label %a, label %dead

dead:
  %z = icmp eq i32 %vb2, 123456789
  br i1 %z, label %never, label %out

never:
  unreachable

out:
  %r = phi i32 [ %va2, %a ], [ %vb2, %dead ]
  store i32 %r, i32 addrspace(1)* %at
  ret void
}

; Constants without an address space: variables of the program that stand in private memory.
define spir_kernel void @private_constants(i32 addrspace(1)* %p) {
  %id3 = load <3 x i64>, <3 x i64> addrspace(1)* @__spirv_BuiltInGlobalInvocationId, align 32
  %id = extractelement <3 x i64> %id3, i32 0
  %i = and i64 %id, 3
  %at = getelementptr i32, i32 addrspace(1)* %p, i64 %id
  %a = getelementptr [4 x i32], [4 x i32]* @primes, i64 0, i64 %i
  %v = load i32, i32* %a
  %tail = load i32*, i32** getelementptr inbounds ({ i32*, i8 }, { i32*, i8 }* @pair, i64 0, i32 0)
  %next = getelementptr i32, i32* %tail, i64 1
  %w = load i32, i32* %next
  %b = load i8, i8* getelementptr inbounds ({ i32*, i8 }, { i32*, i8 }* @pair, i64 0, i32 1)
  %g = addrspacecast i32* %a to i32 addrspace(4)*
  %u = load i32, i32 addrspace(4)* %g
  %c = zext i8 %b to i32
  %x = mul i32 %v, %w
  %y = add i32 %x, %c
  %z = mul i32 %y, %u
  store i32 %z, i32 addrspace(1)* %at
  ret void
}
