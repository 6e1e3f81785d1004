//go:build !noasm

#include "textflag.h"

// func xorAVX2(dst, src *byte, n int, key uint32) (ascii bool)
//
// The octets are taken as vectors of 32 from the front, and one that ends with them. The last overlaps the one
// before unless n is a multiple of 32; it is loaded before the first store, because in place those stores change
// what it overlaps, and it is stored after them all. So nothing outside the n octets is touched.
//
// DI dst, SI src, BX the octets in front of the last vector that are still to do.
// Y0 the key eight times, Y1 the last vector, Y2 and Y3 all that was written ORed together.
TEXT ·xorAVX2(SB), NOSPLIT, $0-33
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), BX
	MOVL key+24(FP), AX

	VMOVD        AX, X0
	VPBROADCASTD X0, Y0

	// The last vector begins at octet n-32, where the key has turned by n&3 octets. A rotation counts modulo 32.
	MOVL         BX, CX
	SHLL         $3, CX
	RORL         CX, AX
	VMOVD        AX, X1
	VPBROADCASTD X1, Y1
	SUBQ         $32, BX
	VPXOR        (SI)(BX*1), Y1, Y1
	LEAQ         (DI)(BX*1), DX
	VMOVDQA      Y1, Y2
	VPXOR        Y3, Y3, Y3

	SUBQ $128, BX
	JLT  rest

four:
	VPXOR   (SI), Y0, Y4
	VPXOR   32(SI), Y0, Y5
	VPXOR   64(SI), Y0, Y6
	VPXOR   96(SI), Y0, Y7
	VMOVDQU Y4, (DI)
	VMOVDQU Y5, 32(DI)
	VMOVDQU Y6, 64(DI)
	VMOVDQU Y7, 96(DI)
	VPOR    Y4, Y5, Y4
	VPOR    Y6, Y7, Y6
	VPOR    Y4, Y2, Y2
	VPOR    Y6, Y3, Y3
	ADDQ    $128, SI
	ADDQ    $128, DI
	SUBQ    $128, BX
	JGE     four

rest:
	ADDQ $128, BX
	JZ   last

one:
	VPXOR   (SI), Y0, Y4
	VMOVDQU Y4, (DI)
	VPOR    Y4, Y2, Y2
	ADDQ    $32, SI
	ADDQ    $32, DI
	SUBQ    $32, BX
	JGT     one

last:
	VMOVDQU   Y1, (DX)
	VPOR      Y3, Y2, Y2
	VPMOVMSKB Y2, AX
	TESTL     AX, AX
	SETEQ     ascii+32(FP)
	VZEROUPPER
	RET
