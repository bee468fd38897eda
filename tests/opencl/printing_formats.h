/* printing_formats.h - formats that kernels and the C library print alike: INTEGER with an int, REAL with a double,
 * TEXT with LONG_TEXT, 2000 characters. The including file defines these three.
 */
#define TEXT_50_ "0123456789abcdefghijklmnopqrstuvwxyz,;.:-_+=/()[]<>"
#define TEXT_500_ TEXT_50_ TEXT_50_ TEXT_50_ TEXT_50_ TEXT_50_ TEXT_50_ TEXT_50_ TEXT_50_ TEXT_50_ TEXT_50_
#define LONG_TEXT TEXT_500_ TEXT_500_ TEXT_500_ TEXT_500_

INTEGER("%d") INTEGER("%1000d") INTEGER("%-1000d") INTEGER("%01000d") INTEGER("%+.900d") INTEGER("%1000.900d")
INTEGER("% 010d") INTEGER("%+-12i") INTEGER("%010.4d") INTEGER("%.0d") INTEGER("%u") INTEGER("%.20u") INTEGER("%o")
INTEGER("%#o")
INTEGER("%#.3o") INTEGER("%#20.15o") INTEGER("%x") INTEGER("%#x") INTEGER("%#X") INTEGER("%#020x") INTEGER("%#-20x")
INTEGER("%0128x")
INTEGER("%hhd") INTEGER("%hd") INTEGER("%hhu") INTEGER("%#hx") INTEGER("%c") INTEGER("%5c") INTEGER("%-5c")
REAL("%f") REAL("%.0f") REAL("%#.0f") REAL("%+20f") REAL("%-20f") REAL("%020f") REAL("% .3f") REAL("%.800f")
REAL("%.1200f")
REAL("%1500.1100f") REAL("%01500.1100f") REAL("%-1500.1100f") REAL("%F") REAL("%e") REAL("%.0e") REAL("%#.0e")
REAL("%.800e")
REAL("%.1200e") REAL("%1500.1200E") REAL("%g") REAL("%.0g") REAL("%#g") REAL("%.60g") REAL("%.1200g") REAL("%#.1200g")
REAL("%G")
REAL("%a") REAL("%.3a") REAL("%+.3A") REAL("%030a") REAL("%.1200a") REAL("%1300.1200a") REAL("%1000g") REAL("%-1000g")
TEXT("%s") TEXT("%.1500s") TEXT("%2500s") TEXT("%-2500s") TEXT("%20.3s") TEXT("%-20.3s") TEXT("%.0s")
