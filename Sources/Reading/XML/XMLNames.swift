/// The names of one document's elements and attributes, each made into a `String` once.
///
/// libxml2 keeps one copy of every name, so two of its pointers stand for a name and finding it costs no comparison of
/// text. A name may have several numbers (two undeclared prefixes), never a number several names.
final class XMLNames {
    /// One name.
    struct Name {
        /// Local name; with its prefix when that is undeclared.
        let local: String
        /// Namespace URI or "".
        let namespace: String
        /// The prefix when it is undeclared, else "".
        let prefix: String
        /// `local` without that prefix.
        let bare: String
        /// Whether elements of this name are items.
        let isItem: Bool
    }

    /// More distinct names than this are no feed but an attack on memory.
    static let limit = 20_000

    private(set) var names: [Name] = []
    private let itemNames: Set<String>
    private var slots: [Slot]

    private struct Slot {
        var local: UInt = 0
        var qualifier: UInt = 0
        var number: Int32 = -1
    }

    init(itemNames: Set<String>) {
        self.itemNames = itemNames
        slots = [Slot](repeating: Slot(), count: 256)
    }

    subscript(number: Int32) -> Name { names[Int(number)] }

    /// The number of a name given by pointers into libxml2's dictionary; nil when there are too many names.
    func number(
        local: UnsafePointer<UInt8>, prefix: UnsafePointer<UInt8>?, uri: UnsafePointer<UInt8>?
    ) -> Int32? {
        let localKey = UInt(bitPattern: local)
        // A prefix may be the same text, and so the same pointer, as another name's URI: the top bit tells them apart.
        let qualifier = uri.map { UInt(bitPattern: $0) } ?? prefix.map { UInt(bitPattern: $0) | (1 << 63) } ?? 0
        let mask = slots.count - 1
        var index = Self.hash(localKey, qualifier) & mask
        while slots[index].number >= 0 {
            if slots[index].local == localKey && slots[index].qualifier == qualifier { return slots[index].number }
            index = (index + 1) & mask
        }
        guard names.count < Self.limit else { return nil }
        let number = Int32(names.count)
        slots[index] = Slot(local: localKey, qualifier: qualifier, number: number)
        let bare = String(cString: local)
        let undeclared = uri == nil ? prefix.map { String(cString: $0) } ?? "" : ""
        names.append(
            Name(
                local: undeclared.isEmpty ? bare : undeclared + ":" + bare,
                namespace: uri.map { String(cString: $0) } ?? "", prefix: undeclared, bare: bare,
                isItem: itemNames.contains(bare)))
        if names.count * 2 > slots.count { grow() }
        return number
    }

    private static func hash(_ local: UInt, _ qualifier: UInt) -> Int {
        let mixed = (local &* 0x9E37_79B9_7F4A_7C15) ^ (qualifier &* 0xC2B2_AE3D_27D4_EB4F)
        return Int(truncatingIfNeeded: mixed >> 33)
    }

    private func grow() {
        let old = slots
        slots = [Slot](repeating: Slot(), count: old.count * 2)
        let mask = slots.count - 1
        for slot in old where slot.number >= 0 {
            var index = Self.hash(slot.local, slot.qualifier) & mask
            while slots[index].number >= 0 { index = (index + 1) & mask }
            slots[index] = slot
        }
    }
}
