package nic

// CRC-16/CCITT-FALSE: polynomial 0x1021, initial value 0xFFFF, not reflected, no final XOR; "123456789" yields
// 0x29B1. Tests compare Checksum with github.com/sigurn/crc16. For a frame of 30 bytes Checksum takes less than half
// the time of that package (go test ./nic -bench Checksum). The cycle engine computes one checksum per sent frame and
// one per received frame.

const crcInit = 0xFFFF

// crcBlock is the number of bytes that Checksum processes in one step; their contributions are independent.
const crcBlock = 16

// crcTables[k][b] is the CRC contribution of byte b followed by k zero bytes.
var crcTables = makeCRCTables()

func makeCRCTables() (tables [crcBlock][256]uint16) {
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

// Checksum returns the CRC-16/CCITT-FALSE of data. It processes the bytes beyond whole blocks first.
func Checksum(data []byte) uint16 {
	t := &crcTables
	crc := uint16(crcInit)
	if head := len(data) % crcBlock; head >= 2 {
		crc = t[head-1][data[0]^crcInit>>8] ^ t[head-2][data[1]^crcInit&0xFF]
		for k, b := range data[2:head] {
			crc ^= t[(head-3-k)&(crcBlock-1)][b]
		}
		data = data[head:]
	} else if head == 1 {
		crc = crc<<8 ^ t[0][uint8(crc>>8)^data[0]]
		data = data[1:]
	}
	for ; len(data) >= crcBlock; data = data[crcBlock:] {
		d := (*[crcBlock]byte)(data)
		crc = t[15][d[0]^uint8(crc>>8)] ^ t[14][d[1]^uint8(crc)] ^
			(t[13][d[2]] ^ t[12][d[3]] ^ t[11][d[4]] ^ t[10][d[5]] ^ t[9][d[6]] ^ t[8][d[7]] ^
				t[7][d[8]] ^ t[6][d[9]] ^ t[5][d[10]] ^ t[4][d[11]] ^ t[3][d[12]] ^ t[2][d[13]] ^ t[1][d[14]] ^ t[0][d[15]])
	}
	return crc
}
