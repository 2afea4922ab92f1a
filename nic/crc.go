package nic

// CRC-16/CCITT-FALSE: polynomial 0x1021, start 0xFFFF, not reflected, no final
// XOR; "123456789" gives 0x29B1. github.com/sigurn/crc16 is the reference that
// the tests compare with. On a frame of 30 bytes the tables here take less than
// half of its time (go test ./nic -bench Checksum), which the cycle engine needs:
// one checksum per frame sent and heard.

const crcInit = 0xFFFF

// crcTables[k][b] is the CRC contribution of byte b followed by k zero bytes.
var crcTables = makeCRCTables()

func makeCRCTables() (tables [8][256]uint16) {
	for b := range 256 {
		crc := uint16(b) << 8
		for range 8 {
			if crc&0x8000 != 0 {
				crc = crc<<1 ^ 0x1021
			} else {
				crc <<= 1
			}
		}
		tables[0][b] = crc
	}
	for k := 1; k < len(tables); k++ {
		for b := range 256 {
			crc := tables[k-1][b]
			tables[k][b] = crc<<8 ^ tables[0][crc>>8]
		}
	}
	return tables
}

// Checksum returns the CRC-16/CCITT-FALSE of data.
func Checksum(data []byte) uint16 {
	crc := uint16(crcInit)
	t := &crcTables
	for len(data) >= 8 {
		// One bounds check for the block: data[7] proves data[0..6].
		_ = data[7]
		crc = t[7][data[0]^uint8(crc>>8)] ^ t[6][data[1]^uint8(crc)] ^
			t[5][data[2]] ^ t[4][data[3]] ^ t[3][data[4]] ^ t[2][data[5]] ^ t[1][data[6]] ^ t[0][data[7]]
		data = data[8:]
	}
	for _, b := range data {
		crc = crc<<8 ^ t[0][uint8(crc>>8)^b]
	}
	return crc
}
