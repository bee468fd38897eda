#!/bin/sh
# setup.sh - asks the system's package manager for what is missing to build, run and test, and says first what that is.
#
#     scripts/setup.sh              what is needed
#     scripts/setup.sh --optional   also what only widens the tests and the bench
#     scripts/setup.sh --show       only say what is missing; with --optional, all of it
#
# Looks for the thing itself (a header that compiles, a command that runs), not for a package's name, so it does
# nothing where all is there, whatever brought it. Installs with apt; elsewhere it prints the names and fails.
set -eu
optional=no show=no
for option; do
    case $option in
    --optional) optional=yes ;;
    --show) show=yes ;;
    *) echo "setup: unknown option $option" >&2; exit 2 ;;
    esac
done
cc=${CC:-cc} # may be several words

command_there() { command -v "$1" >/dev/null 2>&1; }
compiles() { printf '%s\n' "$1" | $cc -std=c11 -fsyntax-only -x c - >/dev/null 2>&1; }
links() { printf 'int main(void) { return 0; }\n' | $cc -x c - -o /dev/null "$@" >/dev/null 2>&1; }

# What is missing, one per line: name | Debian | Fedora | Arch | openSUSE.
missing() {
    command_there "${cc%% *}" ||
        echo "a C compiler|gcc|gcc|gcc|gcc"
    compiles '#include <stdio.h>' ||
        echo "the C library's headers|libc6-dev|glibc-devel|glibc|glibc-devel"
    links -lze_loader ||
        echo "the Level Zero loader|libze1 libze-dev|oneapi-level-zero-devel|level-zero-loader|level-zero-devel"
    compiles '#include <level_zero/ze_api.h>' ||
        echo "Level Zero headers|libze-dev|oneapi-level-zero-devel|level-zero-headers|level-zero-devel"
    compiles '#include <spirv/unified1/spirv.h>' ||
        echo "SPIR-V headers|spirv-headers|spirv-headers-devel|spirv-headers|spirv-headers"
    command_there spirv-val ||
        echo "spirv-val|spirv-tools|spirv-tools|spirv-tools|spirv-tools"
    command_there pkg-config ||
        echo "pkg-config|pkg-config|pkgconf-pkg-config|pkgconf|pkg-config"
}

# Debian names llvm-spirv by version; the newest reads the bitcode of every older clang.
newest_llvm_spirv() {
    command_there apt-cache || return 0
    apt-cache search --names-only "^llvm-spirv-[0-9]+$" | cut -d" " -f1 | sort -V | tail -n 1
}

missing_optional() {
    command_there g++ || echo "g++ (C++17 tests of the headers)|g++|gcc-c++|gcc|gcc-c++"
    command_there clang || echo "clang (tests with a second compiler)|clang|clang|clang|clang"
    command_there valgrind || echo "valgrind (memory checks by hand)|valgrind|valgrind|valgrind|valgrind"
    command_there llvm-spirv || ls /usr/bin/llvm-spirv-* >/dev/null 2>&1 ||
        echo "llvm-spirv (modules from another compiler)|$(newest_llvm_spirv)|-|spirv-llvm-translator|-"
    command_there meson && command_there ninja || echo "Meson (tests of the README's project)|meson|meson|meson|meson"
    command_there cmake || echo "CMake (tests of the README's project)|cmake|cmake|cmake|cmake"
    command_there x86_64-w64-mingw32-gcc ||
        echo "a compiler for Windows (tests of the headers there)|gcc-mingw-w64-x86-64 g++-mingw-w64-x86-64|mingw64-gcc mingw64-gcc-c++|mingw-w64-gcc|mingw64-cross-gcc"
    command_there wine || echo "wine (tests of programs for Windows)|wine wine64|wine|wine|wine"
    command_there python3 || echo "Python (docs/python.md, pictures)|python3|python3|python|python3"
    command_there mpicc && command_there mpirun ||
        echo "Open MPI (examples/mpi_summa.c)|libopenmpi-dev openmpi-bin|openmpi-devel|openmpi|openmpi-devel"
    compiles '#include <vulkan/vulkan_core.h>' && ls /usr/share/vulkan/icd.d/*.json >/dev/null 2>&1 ||
        echo "Vulkan, with a driver for CPUs (vk_dispatch.h)|libvulkan-dev mesa-vulkan-drivers|vulkan-headers vulkan-loader mesa-vulkan-drivers|vulkan-headers vulkan-icd-loader vulkan-swrast|vulkan-devel libvulkan_lvp"
    ls /usr/share/vulkan/explicit_layer.d/*validation*.json /etc/vulkan/explicit_layer.d/*validation*.json 2>/dev/null | grep -q . ||
        echo "Vulkan's validation layer (a test of vk_dispatch.h)|vulkan-validationlayers|vulkan-validation-layers|vulkan-validation-layers|vulkan-validationlayers"
    links -l:libopenblas.so.0 ||
        echo "OpenBLAS (the bench's peer)|libopenblas0|openblas|openblas|libopenblas0"
    command_there qemu-aarch64 && command_there aarch64-linux-gnu-gcc ||
        echo "QEMU and a compiler for AArch64 (tests for other CPUs)|qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross|qemu-user|qemu-user aarch64-linux-gnu-gcc|qemu-linux-user"
    command_there qemu-s390x && command_there s390x-linux-gnu-gcc && command_there riscv64-linux-gnu-gcc && command_there musl-gcc ||
        echo "compilers for other CPUs and C libraries (scripts/portability.sh)|qemu-user gcc-riscv64-linux-gnu libc6-dev-riscv64-cross gcc-s390x-linux-gnu libc6-dev-s390x-cross musl-tools|qemu-user musl-gcc|qemu-user musl riscv64-linux-gnu-gcc|qemu-linux-user"
    printf 'int main(void) { return 0; }\n' | gcc -m32 -x c - -o /dev/null 2>/dev/null ||
        echo "gcc's 32-bit library (scripts/portability.sh)|gcc-12-multilib|glibc-devel.i686 libgcc.i686|lib32-gcc-libs|gcc-32bit glibc-devel-32bit"
    ls /etc/OpenCL/vendors/*pocl* >/dev/null 2>&1 ||
        echo "PoCL (the bench's peer)|pocl-opencl-icd ocl-icd-libopencl1|pocl ocl-icd|pocl ocl-icd|pocl libOpenCL1"
    compiles '#include <dnnl.h>' || echo "oneDNN (the bench's peer)|libdnnl-dev|onednn-devel|onednn|onednn-devel"
    compiles '#include <stb/stb_image.h>' ||
        echo "stb_image.h (the bench's peer)|libstb-dev|stb_image-devel|stb|stb-devel"
    compiles '#include <spirv-tools/libspirv.h>' ||
        echo "SPIRV-Tools' library (the bench's peer)|spirv-tools|spirv-tools-devel|spirv-tools|spirv-tools-devel"
}

packages() { cut -d'|' -f"$1" | tr ' ' '\n' | grep -v '^-$' | sort -u | tr '\n' ' ' | sed 's/ $//'; }

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"
    elif command_there sudo; then sudo "$@"
    else
        echo "setup: not root and no sudo; as root, run: $*" >&2
        return 1
    fi
}

apt() { as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Acquire::Retries=3 -o Dpkg::Use-Pty=0 "$@"; }

install_with_apt() {
    names=$(printf '%s\n' "$1" | packages 2)
    echo "setup: this will be installed: $names"
    [ "$show" = no ] || exit 0
    echo "setup: apt-get update"
    apt update
    echo "setup: apt-get install $names"
    # shellcheck disable=SC2086 # one word a package
    apt install -y --no-install-recommends $names >/dev/null
}

print_names() {
    echo "setup: no apt-get here. Install, by your system's means:"
    printf '%s\n' "$1" | cut -d'|' -f1 | sed 's/^/    /'
    echo "  Fedora:   dnf install $(printf '%s\n' "$1" | packages 3)"
    echo "  Arch:     pacman -S $(printf '%s\n' "$1" | packages 4)"
    echo "  openSUSE: zypper install $(printf '%s\n' "$1" | packages 5)"
}

wanted=$(missing)
[ "$optional" = yes ] && wanted=$(missing; missing_optional)
if [ -z "$wanted" ]; then
    echo "setup: all is there"
else
    echo "setup: asks the system's package manager (apt-get, as root) for what is missing"
    printf '%s\n' "$wanted" | cut -d'|' -f1 | sed 's/^/setup: missing: /'
    if ! command_there apt-get; then
        print_names "$wanted" >&2
        exit 1
    fi
    install_with_apt "$wanted"
    still=$(missing)
    if [ -n "$still" ]; then
        printf '%s\n' "$still" | cut -d'|' -f1 | sed 's/^/setup: still missing: /' >&2
        exit 1
    fi
    echo "setup: done"
fi
if [ "$optional" = no ] && missing_optional | grep -q .; then
    echo "setup: only some tests and benches need these ('make setup-optional' installs them):"
    missing_optional | cut -d'|' -f1 | sed 's/^/    /'
fi
