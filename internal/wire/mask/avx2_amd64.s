//go:build !noasm

#include "textflag.h"

// func xorAVX2(dst, src *byte, n int, key uint32) (ascii bool)
//
// The bytes are masked in vectors of 32 from the front, and in one that ends with the last byte. The last vector
// overlaps the one before unless n is a multiple of 32. It is loaded before the first store, because in place the
// stores would change the overlap, and stored after all others. So nothing outside the n bytes is touched.
//
// DI dst, SI src, BX the number of bytes left before the last vector.
// Y0 the key eight times, Y1 the last vector, Y2 and Y3 all bytes written, ORed together.
TEXT ·xorAVX2(SB), NOSPLIT, $0-33
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), BX
	MOVL key+24(FP), AX

	VMOVD        AX, X0
	VPBROADCASTD X0, Y0

	// The last vector begins at byte n-32, where the key is rotated by n&3 bytes. A rotation counts modulo 32.
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
