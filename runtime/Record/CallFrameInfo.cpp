//===- CallFrameInfo.cpp - Reads .eh_frame of loaded modules --------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CallFrameInfo.h"
#include "FrameEntry.h"
#include <cstring>

using namespace torchtidy::record;

namespace {

enum { RegRbp = 6, RegRsp = 7, RegReturn = 16 };

/// DW_CFA_* and DW_OP_* as far as they are read here.
enum : uint8_t {
  Nop = 0x00,
  SetLoc = 0x01,
  AdvanceLoc1 = 0x02,
  AdvanceLoc2 = 0x03,
  AdvanceLoc4 = 0x04,
  OffsetExtended = 0x05,
  RestoreExtended = 0x06,
  Undefined = 0x07,
  SameValue = 0x08,
  Register = 0x09,
  RememberState = 0x0a,
  RestoreState = 0x0b,
  DefCfa = 0x0c,
  DefCfaRegister = 0x0d,
  DefCfaOffset = 0x0e,
  DefCfaExpression = 0x0f,
  Expression = 0x10,
  OffsetExtendedSf = 0x11,
  DefCfaSf = 0x12,
  DefCfaOffsetSf = 0x13,
  ValOffset = 0x14,
  ValExpression = 0x16,
  GnuArgsSize = 0x2e,
  OpDeref = 0x06,
  OpBregRbp = 0x70 + RegRbp,
};

struct State {
  unsigned CfaRegister = RegRsp;
  int64_t CfaOffset = 8;
  bool CfaAtRbp = false; ///< the CFA is what lies at rbp + CfaOffset
  RbpKind Rbp = RbpKind::Same;
  int64_t RbpOffset = 0;
  bool ReturnUndefined = false;
  bool Unknown = false;
};

struct Cie {
  uint64_t CodeAlign = 1;
  int64_t DataAlign = -8;
  uint8_t PointerEncoding = 0;
  bool Signal = false;
  const uint8_t *Program = nullptr, *End = nullptr;
};

/// A contribution's body; false at the end marker or for the 64-bit form.
bool entry(Cursor &C, const uint8_t *&End) {
  auto Length = C.fixed<uint32_t>();
  if (Length == 0 || Length == 0xffffffff)
    return false;
  End = C.P + Length;
  return true;
}

bool readCie(const uint8_t *At, Cie &Out) {
  Cursor C(At);
  if (!entry(C, Out.End) || C.fixed<uint32_t>() != 0)
    return false;
  auto Version = C.fixed<uint8_t>();
  const char *Augmentation = reinterpret_cast<const char *>(C.P);
  C.P += std::strlen(Augmentation) + 1;
  Out.CodeAlign = C.uleb();
  Out.DataAlign = C.sleb();
  uint64_t Return = Version == 1 ? C.fixed<uint8_t>() : C.uleb();
  if (Return != RegReturn)
    return false;
  if (*Augmentation != 'z')
    return *Augmentation == 0 ? (Out.Program = C.P, true) : false;
  uint64_t Size = C.uleb();
  Out.Program = C.P + Size;
  bool Ok = true;
  while (*++Augmentation) {
    switch (*Augmentation) {
    case 'R':
      Out.PointerEncoding = C.fixed<uint8_t>();
      break;
    case 'P': {
      auto Encoding = C.fixed<uint8_t>();
      C.encoded(Encoding & 0x0f, Ok);
      break;
    }
    case 'L':
      C.fixed<uint8_t>();
      break;
    case 'S':
      Out.Signal = true;
      break;
    default:
      return false;
    }
  }
  return Ok;
}

class Machine {
public:
  Machine(const Cie &C) : C(C) {}
  State S, Initial;

  /// Runs a program up to \p Target bytes into the function.
  void run(const uint8_t *From, const uint8_t *End, uint64_t Target) {
    Cursor P(From);
    uint64_t At = 0;
    while (P.P < End && !S.Unknown) {
      uint8_t Op = P.fixed<uint8_t>();
      switch (Op >> 6) {
      case 1:
        At += (Op & 63) * C.CodeAlign;
        break;
      case 2:
        offset(Op & 63, static_cast<int64_t>(P.uleb()) * C.DataAlign);
        break;
      case 3:
        restore(Op & 63);
        break;
      default:
        step(Op, P, At);
      }
      if (At > Target)
        return;
    }
  }

private:
  void step(uint8_t Op, Cursor &P, uint64_t &At) {
    switch (Op) {
    case Nop:
      break;
    case AdvanceLoc1:
      At += P.fixed<uint8_t>() * C.CodeAlign;
      break;
    case AdvanceLoc2:
      At += P.fixed<uint16_t>() * C.CodeAlign;
      break;
    case AdvanceLoc4:
      At += P.fixed<uint32_t>() * C.CodeAlign;
      break;
    case OffsetExtended: {
      uint64_t R = P.uleb();
      offset(R, static_cast<int64_t>(P.uleb()) * C.DataAlign);
      break;
    }
    case OffsetExtendedSf: {
      uint64_t R = P.uleb();
      offset(R, P.sleb() * C.DataAlign);
      break;
    }
    case RestoreExtended:
      restore(P.uleb());
      break;
    case Undefined: {
      uint64_t R = P.uleb();
      S.ReturnUndefined |= R == RegReturn;
      S.Unknown |= R == RegRbp;
      break;
    }
    case SameValue:
      if (P.uleb() == RegRbp)
        S.Rbp = RbpKind::Same;
      break;
    case Register: {
      uint64_t R = P.uleb();
      P.uleb();
      S.Unknown |= R == RegRbp || R == RegReturn;
      break;
    }
    case RememberState:
      if (Depth == MaxDepth)
        S.Unknown = true;
      else
        Saved[Depth++] = S;
      break;
    case RestoreState:
      if (Depth == 0)
        S.Unknown = true;
      else
        S = Saved[--Depth];
      break;
    case DefCfa:
      defCfa(static_cast<unsigned>(P.uleb()), 0);
      S.CfaOffset = static_cast<int64_t>(P.uleb());
      break;
    case DefCfaSf:
      defCfa(static_cast<unsigned>(P.uleb()), 0);
      S.CfaOffset = P.sleb() * C.DataAlign;
      break;
    case DefCfaRegister:
      defCfa(static_cast<unsigned>(P.uleb()), S.CfaOffset);
      break;
    case DefCfaOffset:
      S.CfaOffset = static_cast<int64_t>(P.uleb());
      break;
    case DefCfaOffsetSf:
      S.CfaOffset = P.sleb() * C.DataAlign;
      break;
    case DefCfaExpression:
      cfaExpression(P);
      break;
    case Expression:
      expression(P);
      break;
    case ValOffset:
    case ValExpression: {
      uint64_t R = P.uleb();
      uint64_t Size = P.uleb();
      if (Op == ValExpression)
        P.P += Size;
      S.Unknown |= R == RegRbp || R == RegRsp || R == RegReturn;
      break;
    }
    case GnuArgsSize:
      P.uleb();
      break;
    default:
      S.Unknown = true;
    }
  }

  void defCfa(unsigned Register, int64_t Offset) {
    S.CfaRegister = Register;
    S.CfaOffset = Offset;
    S.CfaAtRbp = false;
  }
  void offset(uint64_t Register, int64_t Offset) {
    if (Register == RegRbp) {
      S.Rbp = RbpKind::BelowCfa;
      S.RbpOffset = Offset;
    } else if (Register == RegReturn && Offset != -8)
      S.Unknown = true;
  }
  void restore(uint64_t Register) {
    if (Register == RegRbp) {
      S.Rbp = Initial.Rbp;
      S.RbpOffset = Initial.RbpOffset;
    }
  }
  /// `rbp + N, deref`: how a function finds back after realigning its stack.
  void cfaExpression(Cursor &P) {
    uint64_t Size = P.uleb();
    const uint8_t *End = P.P + Size;
    bool Known = P.fixed<uint8_t>() == OpBregRbp;
    int64_t Offset = Known ? P.sleb() : 0;
    Known = Known && P.P + 1 == End && *P.P == OpDeref;
    P.P = End;
    S.CfaRegister = RegRbp;
    S.CfaOffset = Offset;
    S.CfaAtRbp = true;
    // The program may go on to a shape that is known.
    if (!Known)
      S.CfaRegister = ~0u;
  }
  void expression(Cursor &P) {
    uint64_t R = P.uleb();
    uint64_t Size = P.uleb();
    const uint8_t *End = P.P + Size;
    if (R == RegRbp) {
      bool Known = P.fixed<uint8_t>() == OpBregRbp;
      S.Rbp = RbpKind::FromRbp;
      S.RbpOffset = Known ? P.sleb() : 0;
      S.Unknown |= !Known || P.P != End;
    } else if (R == RegReturn)
      S.Unknown = true;
    P.P = End;
  }

  static constexpr unsigned MaxDepth = 8;
  const Cie &C;
  State Saved[MaxDepth];
  unsigned Depth = 0;
};

FrameRule toRule(const State &S) {
  FrameRule R;
  if (S.Unknown)
    return R;
  if (S.ReturnUndefined) {
    R.Cfa = CfaKind::Outermost;
    return R;
  }
  if (S.CfaRegister == RegRsp)
    R.Cfa = CfaKind::FromRsp;
  else if (S.CfaRegister == RegRbp)
    R.Cfa = S.CfaAtRbp ? CfaKind::AtRbp : CfaKind::FromRbp;
  else
    return R;
  R.Rbp = S.Rbp;
  R.CfaOffset = static_cast<int32_t>(S.CfaOffset);
  R.RbpOffset = static_cast<int32_t>(S.RbpOffset);
  return R;
}

} // namespace

FrameRule torchtidy::record::readFrameRule(uintptr_t ReturnAddress) {
  // The call lies before the return address, which may be another function's.
  uintptr_t Address = ReturnAddress - 1;
  const uint8_t *At = findFrameEntry(Address);
  if (!At)
    return {};
  Cursor C(At);
  const uint8_t *End;
  if (!entry(C, End))
    return {};
  const uint8_t *IdAt = C.P;
  auto Id = C.fixed<uint32_t>();
  Cie Common;
  if (!Id || !readCie(IdAt - Id, Common) || Common.Signal)
    return {};
  bool Ok = true;
  uint64_t Begin = C.encoded(Common.PointerEncoding, Ok);
  uint64_t Size = C.encoded(Common.PointerEncoding & 0x0f, Ok);
  if (!Ok || Address - Begin >= Size)
    return {};
  C.P += C.uleb(); // augmentation data
  Machine M(Common);
  M.run(Common.Program, Common.End, ~uint64_t(0));
  M.Initial = M.S;
  M.run(C.P, End, Address - Begin);
  return toRule(M.S);
}
