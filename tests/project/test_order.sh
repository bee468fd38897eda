#!/bin/sh
# Ids are numbered as they are made, so no expression of the library may make two in parts that C evaluates in any order: modules
# would depend on the compiler. order.awk reads clang's tree for it. (test_cpp.sh compares what compilers make.)
. "$(dirname "$0")/../test.sh"
command -v clang >/dev/null 2>&1 || { skip "the order of evaluation" "clang is not installed"; report; exit; }
unordered() { # unordered SOURCE: in $work/found
    clang -std=c11 -w -I. -fsyntax-only -Xclang -ast-dump "$1" > "$work/tree" &&
        awk -v roots="spe_new_id_ xt_record_" -f tests/project/order.awk "$work/tree" "$work/tree" > "$work/found"
}
is_in_order() { # is_in_order SOURCE
    unordered "$1" && cat "$work/found" && ! [ -s "$work/found" ]
}

check "the library numbers nothing in any order" is_in_order src/libxetile.c
check "its functions that make ids are seen" [ "$(grep -c "Function 0x[0-9a-f]* 'spe_new_id_'" "$work/tree")" -gt 10 ]

cat > "$work/faulty.c" <<'END'
typedef struct spe_module spe_module;
unsigned spe_new_id_(spe_module *m);
unsigned add(spe_module *m, unsigned a, unsigned b);
unsigned made(spe_module *m) { return spe_new_id_(m); }
unsigned in_order(spe_module *m) { unsigned a[2] = {made(m), made(m)}, b = made(m); return add(m, a[0], made(m)) + b; }
unsigned either(spe_module *m, int c) { return c ? add(m, made(m), 1) : add(m, 1, made(m)) && made(m); }
unsigned of_a_call(spe_module *m) { return add(m, made(m), spe_new_id_(m)); }
unsigned nested(spe_module *m) { return add(m, 1 + made(m), add(m, 0, made(m))); }
unsigned of_an_operator(spe_module *m) { return made(m) - made(m); }
unsigned of_a_pointer(spe_module *m, unsigned (*f)(spe_module *)) { return add(m, f(m), made(m)); }
END
check "a program with four faults is read" unordered "$work/faulty.c"
for name in of_a_call nested of_an_operator of_a_pointer; do check "the fault in $name is found" grep -q "^$name: " "$work/found"; done
check "nothing else is" [ "$(wc -l < "$work/found")" -eq 4 ]
report
