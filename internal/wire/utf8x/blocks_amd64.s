//go:build amd64 && !noasm

#include "textflag.h"

// The method is that of Keiser and Lemire, "Validating UTF-8 In Less Than One Instruction Per Byte" (2021). Three
// nibbles tell whether a byte may follow another: both nibbles of the first byte and the high nibble of the second. Each
// nibble indexes a table of the faults that it is compatible with; a fault exists if all three tables have it.
//
//	01  a leading byte, then no continuation       10  a surrogate:          ED, A0–BF
//	02  ASCII, then a continuation                 20  a long form of two:   C0–C1
//	04  a long form of three: E0, 80–9F            40  a long form of four: F0, 80–8F; or above F4, 80–8F
//	08  above U+10FFFF: F4 and more, 90–BF         80  two continuations
//
// Two continuations are a fault unless the second is the third or fourth byte of a code point. The bytes two and three
// before it tell whether it is: bit 80 computed from them must be equal to bit 80 of the tables.

// high nibble of the first byte: 0–7 ASCII, 8–B continuation, C, D, E, F
DATA firstHigh<>+0(SB)/8, $0x0202020202020202
DATA firstHigh<>+8(SB)/8, $0x4915012180808080
GLOBL firstHigh<>(SB), RODATA|NOPTR, $16

// low nibble of the first byte; faults that do not depend on it are in every entry
DATA firstLow<>+0(SB)/8, $0xCBCBCB8B8383A3E7
DATA firstLow<>+8(SB)/8, $0xCBCBDBCBCBCBCBCB
GLOBL firstLow<>(SB), RODATA|NOPTR, $16

// high nibble of the second byte
DATA secondHigh<>+0(SB)/8, $0x0101010101010101
DATA secondHigh<>+8(SB)/8, $0x01010101BABAAEE6
GLOBL secondHigh<>(SB), RODATA|NOPTR, $16

DATA nibble<>+0(SB)/8, $0x0F0F0F0F0F0F0F0F
GLOBL nibble<>(SB), RODATA|NOPTR, $8

// subtracted with saturation: bit 80 remains only for E0–FF, and only for F0–FF
DATA third<>+0(SB)/8, $0x6060606060606060
GLOBL third<>(SB), RODATA|NOPTR, $8
DATA fourth<>+0(SB)/8, $0x7070707070707070
GLOBL fourth<>(SB), RODATA|NOPTR, $8

DATA top<>+0(SB)/8, $0x8080808080808080
GLOBL top<>(SB), RODATA|NOPTR, $8

// FAULTS leaves in E a bit for each fault in IN; P1, P2, P3 are the bytes one, two and three before each, and are
// overwritten.
#define FAULTS(IN, P1, P2, P3, T, E) \
	VPSRLW   $4, P1, T    \
	VPAND    Y11, T, T    \
	VPSHUFB  T, Y8, E     \
	VPAND    Y11, P1, P1  \
	VPSHUFB  P1, Y9, P1   \
	VPAND    P1, E, E     \
	VPSRLW   $4, IN, T    \
	VPAND    Y11, T, T    \
	VPSHUFB  T, Y10, T    \
	VPAND    T, E, E      \
	VPSUBUSB Y12, P2, P2  \
	VPSUBUSB Y13, P3, P3  \
	VPOR     P3, P2, P2   \
	VPAND    Y14, P2, P2  \
	VPXOR    P2, E, E

// func goodPrefixAVX2(b []byte) int
//
// SI the next byte, CX the number of bytes left, DX the start of b. There is no fault before SI.
TEXT ·goodPrefixAVX2(SB), NOSPLIT, $0-32
	MOVQ b_base+0(FP), SI
	MOVQ b_len+8(FP), CX
	MOVQ SI, DX

	VBROADCASTI128 firstHigh<>(SB), Y8
	VBROADCASTI128 firstLow<>(SB), Y9
	VBROADCASTI128 secondHigh<>(SB), Y10
	VPBROADCASTQ   nibble<>(SB), Y11
	VPBROADCASTQ   third<>(SB), Y12
	VPBROADCASTQ   fourth<>(SB), Y13
	VPBROADCASTQ   top<>(SB), Y14

	// Nothing before the first 32 bytes may be read. Use zeros, which are ASCII, instead.
	VMOVDQU    (SI), Y0
	VPERM2I128 $0x08, Y0, Y0, Y4 // the low half of Y0 above a half of zeros
	VPALIGNR   $15, Y4, Y0, Y1
	VPALIGNR   $14, Y4, Y0, Y2
	VPALIGNR   $13, Y4, Y0, Y3
	FAULTS(Y0, Y1, Y2, Y3, Y5, Y6)
	VPTEST     Y6, Y6
	JNE        done
	ADDQ       $32, SI
	SUBQ       $32, CX

	// A code point that is open here needs the check of the bytes after it, even if they are ASCII.
next:
	TESTL $0x80808000, -4(SI)
	JNE   pair

ascii:
	CMPQ     CX, $128
	JLT      asciiPair
	VMOVDQU  (SI), Y0
	VPOR     32(SI), Y0, Y1
	VMOVDQU  64(SI), Y2
	VPOR     96(SI), Y2, Y3
	VPOR     Y1, Y3, Y3
	VPTEST   Y14, Y3
	JNE      asciiPair
	ADDQ     $128, SI
	SUBQ     $128, CX
	JMP      ascii

asciiPair:
	CMPQ    CX, $64
	JLT     pair
	VMOVDQU (SI), Y0
	VPOR    32(SI), Y0, Y1
	VPTEST  Y14, Y1
	JNE     pair
	ADDQ    $64, SI
	SUBQ    $64, CX
	JMP     asciiPair

pair:
	CMPQ    CX, $64
	JLT     single
	VMOVDQU (SI), Y0
	VMOVDQU -1(SI), Y1
	VMOVDQU -2(SI), Y2
	VMOVDQU -3(SI), Y3
	FAULTS(Y0, Y1, Y2, Y3, Y5, Y6)
	VMOVDQU 32(SI), Y0
	VMOVDQU 31(SI), Y1
	VMOVDQU 30(SI), Y2
	VMOVDQU 29(SI), Y3
	FAULTS(Y0, Y1, Y2, Y3, Y5, Y7)
	VPOR    Y6, Y7, Y7
	VPTEST  Y7, Y7
	JNE     done
	ADDQ    $64, SI
	SUBQ    $64, CX
	JMP     next

single:
	CMPQ    CX, $32
	JLT     last
	VMOVDQU (SI), Y0
	VMOVDQU -1(SI), Y1
	VMOVDQU -2(SI), Y2
	VMOVDQU -3(SI), Y3
	FAULTS(Y0, Y1, Y2, Y3, Y5, Y6)
	VPTEST  Y6, Y6
	JNE     done
	ADDQ    $32, SI
	SUBQ    $32, CX

	// The last 32 bytes of b; some of them are checked twice.
last:
	TESTQ   CX, CX
	JEQ     done
	VMOVDQU -32(SI)(CX*1), Y0
	VMOVDQU -33(SI)(CX*1), Y1
	VMOVDQU -34(SI)(CX*1), Y2
	VMOVDQU -35(SI)(CX*1), Y3
	FAULTS(Y0, Y1, Y2, Y3, Y5, Y6)
	VPTEST  Y6, Y6
	JNE     done
	ADDQ    CX, SI

done:
	SUBQ DX, SI
	MOVQ SI, ret+24(FP)
	VZEROUPPER
	RET
