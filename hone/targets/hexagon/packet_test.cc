#include "hone/targets/hexagon/packet.h"

#include <gtest/gtest.h>

namespace hone::hexagon {
namespace {

constexpr std::string_view kListing = R"(
dsp.elf:	file format elf32-hexagon

Sections:
Idx Name                Size     VMA      Type
  2 .text               00001884 00020120 TEXT
  3 .rodata             00000840 00031a00 DATA

Disassembly of section .text:

00020120 <layer_0>:
   20120: { 	immext(#0x118c0)
   20124:   	r1 = add(pc,##0x118e0)
   20128:   	v12.cur = vmem(r22+#0x0)
   2012c:   	v11.w += vrmpy(v12.ub,r2.b) } 
   20130: { 	v3.w += vmpyo(v11.w,v20.h):<<1:rnd:sat:shift
   20134:   	v5:4 = vshuff(v6,v7,r0) } 
   20138: { 	v0.w = vadd(v4.w,v3.w)
   2013c:   	r1 = add(r1,#0x10); 	memb(r1+#0x8) = r21 }  :endloop0

00020140 <layer_1>:
   20140: { 	vmemu(r5+#0x0) = v0 } 
)";

TEST(Listing, HasPacketsFunctionsAndSections) {
  const Listing listing = parse_listing(kListing);
  ASSERT_EQ(listing.packets.size(), 4u);
  EXPECT_EQ(listing.packets[0].address, 0x20120u);
  EXPECT_EQ(listing.packets[0].instructions, 3);
  EXPECT_EQ(listing.packets[0].vectors, 2);
  EXPECT_EQ(listing.packets[0].multiplies, 1);
  EXPECT_EQ(listing.packets[0].unaligned, 0);
  EXPECT_EQ(listing.packets[3].unaligned, 1);
  EXPECT_EQ(listing.packets[0].writes, (1u << 11) | (1u << 12));
  EXPECT_EQ(listing.packets[1].writes, (1u << 3) | (1u << 4) | (1u << 5));
  EXPECT_EQ(listing.packets[2].instructions, 3);
  ASSERT_EQ(listing.functions.size(), 2u);
  EXPECT_EQ(listing.functions[0].name, "layer_0");
  EXPECT_EQ(listing.functions[0].end, 0x20140u);
  EXPECT_EQ(listing.functions[1].end, 0x20144u);
  EXPECT_EQ(listing.sections.at(".text"), 0x1884u);
  EXPECT_EQ(listing.between(0x20130, 0x20140).size(), 2u);
}

TEST(Packet, WaitsForWhatMultipliersShiftersAndStoresAskForEarly) {
  const std::vector<Packet> packets = parse_listing(kListing).packets;
  EXPECT_EQ(stall_behind(packets[0], packets[1]), 1);  // A product of what the packet before made.
  EXPECT_EQ(stall_behind(packets[1], packets[2]), 0);  // Sums are taken as they come.
  EXPECT_EQ(stall_behind(packets[2], packets[3]), 1);  // Stores that may lie anywhere are not.
}

}  // namespace
}  // namespace hone::hexagon
