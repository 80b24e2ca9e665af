package permission

import "slices"

// blockedPorts are those that the fetch standard blocks, because services that
// do not speak HTTP listen there and can be made to act on what a request
// says: mail, chat, printers, databases of users. Sorted.
var blockedPorts = []uint16{
	0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95,
	101, 102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179,
	389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587,
	601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
	6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
}

// blocks reports whether the port of e needs a rule of its own that r is not:
// one with this host and this port.
func (r NetRule) blocks(e endpoint) bool {
	_, blocked := slices.BinarySearch(blockedPorts, e.port)
	return blocked && (r.wild || r.port == 0 || r.port != e.port)
}
