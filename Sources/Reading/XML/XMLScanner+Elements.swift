extension XMLScanner {
    /// Opens an element whose start tag begins at `position` and has been read to its end.
    mutating func openElement(_ name: Range<Int>, upTo after: Int) {
        let mark = namespaces.mark
        if !attributes.isEmpty { declareNamespaces(since: mark) }
        guard failure == nil else { return }
        guard let found = namespaces.find(name, isAttribute: false, in: input, names) else { return failForNames() }
        let number = line(of: after - 1)
        if found.fault != .none { note(found.fault, of: name, at: after - 1) }
        openElements.append(OpenElement(name: name, mark: mark))
        isBehindItem = false
        let beginsItem = itemDepth == 0 && found.isItem
        if beginsItem {
            itemDepth = openElements.count
            itemLine = number
            isItemTooLarge = false
            item.pointee.reset()
        }
        if itemDepth == 0 {
            skeleton.pointee.openElement(found.number, line: number)
            addAttributes(to: skeleton, at: after - 1)
            if skeleton.pointee.size > skeletonLimit { failForSkeleton() }
        } else if !isItemTooLarge {
            item.pointee.openElement(found.number, line: number)
            addAttributes(to: item, at: after - 1)
            isItemTooLarge = item.pointee.size > itemLimit
            if beginsItem, openElements.count == 1 { skeleton.pointee.openElement(like: item.pointee) }
        }
        if failure == nil { position = after }
    }

    /// Adds the attributes of the start tag to the element opened last; `end` is where the tag ends.
    private mutating func addAttributes(to tree: UnsafeMutablePointer<XMLTree>, at end: Int) {
        guard !attributes.isEmpty else { return }
        tagCount += 1
        for place in attributes.indices where !attributes[place].isDeclaration {
            let attribute = attributes[place]
            guard let found = namespaces.find(attribute.name, isAttribute: true, in: input, names) else {
                return failForNames()
            }
            if found.fault != .none { note(found.fault, of: attribute.name, at: end) }
            if isRepeated(found.number) { noteRepeated(attribute.name, at: end) }
            let start = tree.pointee.values.count
            if attribute.isPlain {
                tree.pointee.values.append(input.stretch(attribute.value))
            } else {
                _ = decode(attribute.value, as: .value, into: &tree.pointee.values)
            }
            tree.pointee.addAttribute(found.number, from: start)
        }
    }

    /// Whether the start tag has had an attribute of that name, whatever its prefix.
    private mutating func isRepeated(_ name: Int32) -> Bool {
        let name = Int(name)
        while lastTagWithName.count <= name { lastTagWithName.append(0) }
        defer { lastTagWithName[name] = tagCount }
        return lastTagWithName[name] == tagCount
    }

    // MARK: Namespaces

    /// Puts the start tag's namespace declarations into force, wherever they stand among its attributes.
    private mutating func declareNamespaces(since mark: XMLNamespaces.Mark) {
        for place in attributes.indices {
            let attribute = attributes[place]
            guard let prefix = declaredPrefix(attribute.name) else { continue }
            attributes[place].isDeclaration = true
            let end = attribute.value.upperBound
            let uri = namespaceURI(attribute)
            switch namespaces.declare(prefix, uri, since: mark, in: input) {
            case .declared: break
            case .repeated: noteRepeated(attribute.name, at: end)
            case .forbidden: note("a namespace declaration that XML forbids was left out", at: end)
            case .tooMany:
                let most = XMLNamespaces.maximum
                return fail("too_large", "more than \(most) namespace declarations are in force at once")
            }
        }
    }

    /// The prefix that an attribute of that name declares, empty for the default namespace; nil for other attributes.
    private func declaredPrefix(_ name: Range<Int>) -> Range<Int>? {
        guard input.has("xmlns", at: name.lowerBound) else { return nil }
        if name.count == 5 { return name.upperBound..<name.upperBound }
        let (prefix, local, _) = XMLNamespaces.parts(of: name, in: input)
        return prefix.count == 5 ? local : nil
    }

    private mutating func namespaceURI(_ attribute: FoundAttribute) -> String {
        if attribute.isPlain { return input.text(attribute.value) }
        // The room behind the values of the skeleton is free: no element is being opened yet.
        let start = skeleton.pointee.values.count
        defer { skeleton.pointee.values.count = start }
        _ = decode(attribute.value, as: .value, into: &skeleton.pointee.values)
        return String(decoding: skeleton.pointee.values.stretch(from: start), as: UTF8.self)
    }

    // MARK: Problems

    private mutating func note(_ fault: XMLNamespaces.Fault, of name: Range<Int>, at offset: Int) {
        guard keepsProblems else { return }
        let quoted = input.quoted(name)
        switch fault {
        case .none: break
        case .undeclaredPrefix: note("the prefix of \(quoted) is not declared", at: offset)
        case .misplacedColon: note("the name \(quoted) has a colon out of place", at: offset)
        }
    }

    private mutating func noteRepeated(_ name: Range<Int>, at offset: Int) {
        guard keepsProblems else { return }
        let quoted = input.quoted(name)
        note("the attribute \(quoted) is given twice, and the first counts", at: offset)
    }
}
