extension XMLScanner {
    /// Looks at `<`: whole markup is taken, a document that ends within ends here, the rest is text.
    mutating func readMarkup(_ onItem: (XMLNode) -> Void) {
        guard position + 1 < input.end else { return stop() }
        switch input[position + 1] {
        case UInt8(ascii: "/"): readEndTag(onItem)
        case UInt8(ascii: "!"): readDeclaration()
        case UInt8(ascii: "?"): readInstruction()
        default: readStartTag(onItem)
        }
    }

    private mutating func takeAsText() {
        note("a < that begins no whole tag was taken as text", at: position)
        takeText(upTo: position + 1, isSection: true)
    }

    // MARK: Sections

    private mutating func readDeclaration() {
        if input.has("<!--", at: position) {
            guard let after = input.find("-->", from: position + 4) else { return stopWithinSection() }
            if let hyphens = input.find("--", from: position + 4), hyphens < after - 1 {
                note("a comment contains --", at: hyphens)
            }
            position = after
        } else if input.has("<![CDATA[", at: position) {
            guard let after = input.find("]]>", from: position + 9) else { return stopWithinSection() }
            position += 9
            takeText(upTo: after - 3, isSection: true)
            // The text may have failed.
            if failure == nil { position = after }
        } else if input.has("<!--", at: position, orItsBeginning: true)
            || input.has("<![CDATA[", at: position, orItsBeginning: true)
        {
            stop()
        } else {
            takeAsText()
        }
    }

    private mutating func readInstruction() {
        guard position + 2 < input.end else { return stop() }
        let name = position + 2..<input.nameEnd(from: position + 2)
        guard !name.isEmpty else { return takeAsText() }
        guard let after = input.find("?>", from: position + 2) else { return stopWithinSection() }
        if name.count == 3, input.has("xml", at: name.lowerBound, ignoringCase: true) {
            note("an XML declaration inside the document was left out", at: position)
        }
        position = after
    }

    private mutating func stopWithinSection() {
        note("the document ends within a comment, CDATA section or processing instruction", at: position)
        stop()
    }

    // MARK: End tags

    private mutating func readEndTag(_ onItem: (XMLNode) -> Void) {
        // Nearly all of them look like this.
        if let last = openElements.last {
            let start = position + 2
            let after = start + last.name.count
            if after < input.end, input[after] == UInt8(ascii: ">"), input.isSame(start..<after, last.name) {
                position = after + 1
                return closeElement(onItem)
            }
        }
        guard position + 2 < input.end else { return stop() }
        let name = position + 2..<input.nameEnd(from: position + 2)
        guard !name.isEmpty else { return takeAsText() }
        var after = name.upperBound
        while after < input.end, input[after] != UInt8(ascii: ">"), input[after] != UInt8(ascii: "<") { after += 1 }
        guard after < input.end else { return stop() }
        let isWhole = input[after] == UInt8(ascii: ">") && input.spaceEnd(from: name.upperBound) == after
        if input[after] == UInt8(ascii: ">") { after += 1 }
        guard let level = openElements.lastIndex(where: { input.isSame($0.name, name) }) else {
            note("an end tag that closes nothing was left out", at: position)
            position = after
            return
        }
        if !isWhole || level < openElements.count - 1 {
            note("an end tag was missing or broken and has been supplied", at: position)
        }
        position = after
        while openElements.count > level { closeElement(onItem) }
    }

    /// Closes the innermost element; with the root, the document ends.
    mutating func closeElement(_ onItem: (XMLNode) -> Void) {
        let depth = openElements.count
        guard let last = openElements.popLast() else { return }
        namespaces.goBack(to: last.mark)
        if itemDepth == 0 {
            skeleton.pointee.closeElement()
            isBehindItem = false
        } else {
            if !isItemTooLarge { item.pointee.closeElement() }
            if depth == itemDepth { endItem(onItem) }
        }
        if depth == 1 {
            isRootClosed = true
            stop()
        }
    }

    private mutating func endItem(_ onItem: (XMLNode) -> Void) {
        itemDepth = 0
        isBehindItem = true
        itemCount += 1
        guard itemCount <= itemCountLimit else {
            return fail("too_large", "the document has more than \(itemCountLimit) items")
        }
        // A root that is an item has a copy in the skeleton.
        if openElements.isEmpty { skeleton.pointee.closeElement() }
        if isItemTooLarge {
            lose("too_large", "an item of more than \(itemLimit) bytes was left out")
        } else {
            onItem(XMLNode(owner: nil, tree: item, index: 0))
        }
        if itemCount - lostItems.count == lastItem { stop() }
    }

    // MARK: Start tags

    /// How a start tag ends.
    private enum TagEnd {
        case whole(Int)
        case selfClosing(Int)
        /// It is no tag.
        case broken
        /// The document ends before it does.
        case cut
        case tooManyAttributes
    }

    /// Attributes of one element.
    private static let maximumAttributes = 1000

    private mutating func readStartTag(_ onItem: (XMLNode) -> Void) {
        let name = position + 1..<input.nameEnd(from: position + 1)
        guard !name.isEmpty else { return takeAsText() }
        switch readAttributes(from: name.upperBound) {
        case .whole(let after):
            guard openElements.count < maximumDepth else {
                return fail("too_deep", "the XML is nested more than \(maximumDepth) elements deep")
            }
            openElement(name, upTo: after)
        case .selfClosing(let after):
            openElement(name, upTo: after)
            if failure == nil { closeElement(onItem) }
        case .broken:
            if openElements.isEmpty { return fail("not_xml", "the root element's start tag is broken") }
            takeAsText()
        case .cut: stop()
        case .tooManyAttributes:
            fail("too_large", "an element has more than \(Self.maximumAttributes) attributes")
        }
    }

    /// Finds the end of a start tag whose name ends at `start`, and its attributes.
    private mutating func readAttributes(from start: Int) -> TagEnd {
        attributes.removeAll(keepingCapacity: true)
        let end = input.end
        var index = start
        while true {
            let afterSpace = input.spaceEnd(from: index)
            guard afterSpace < end else { return .cut }
            if input[afterSpace] == UInt8(ascii: ">") { return .whole(afterSpace + 1) }
            if input[afterSpace] == UInt8(ascii: "/") {
                guard afterSpace + 1 < end else { return .cut }
                return input[afterSpace + 1] == UInt8(ascii: ">") ? .selfClosing(afterSpace + 2) : .broken
            }
            // Attribute: Name Eq AttValue (XML 1.0 §3.1), with white space before it.
            let nameEnd = input.nameEnd(from: afterSpace)
            guard afterSpace > index, nameEnd > afterSpace else { return .broken }
            index = input.spaceEnd(from: nameEnd)
            guard index < end else { return .cut }
            guard input[index] == UInt8(ascii: "=") else { return .broken }
            index = input.spaceEnd(from: index + 1)
            guard index < end else { return .cut }
            let quote = input[index]
            guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return .broken }
            index += 1
            let value = index
            var isPlain = true
            while index < end, input[index] != quote {
                let byte = input[index]
                if byte == UInt8(ascii: "<") { return .broken }
                if byte < 0x20 || byte == UInt8(ascii: "&") || byte == 0xEF { isPlain = false }
                index += 1
            }
            guard index < end else { return .cut }
            attributes.append(FoundAttribute(name: afterSpace..<nameEnd, value: value..<index, isPlain: isPlain))
            guard attributes.count <= Self.maximumAttributes else { return .tooManyAttributes }
            index += 1
        }
    }
}
