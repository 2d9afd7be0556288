import Reading

/// A named value in a placemark's `<ExtendedData>`: `Data`, `SimpleData` or an element of another vocabulary.
struct KMLField {
    var name: String
    /// The name for display, if any.
    var displayName: String?
    /// The value without white space at both ends, with blanks between the texts of elements inside; never empty.
    var value: String

    /// The most fields of a placemark that are read.
    private static let most = 1000

    /// The fields of a placemark with a name and a value, in order, at most 1000.
    static func all(of placemark: XMLNode) -> [KMLField] {
        var fields: [KMLField] = []
        for extended in placemark.children("ExtendedData") {
            for node in extended.children {
                switch node.name {
                case "Data":
                    add(node.attribute("name"), node.child("displayName")?.trimmed, node.child("value"), to: &fields)
                case "SchemaData":
                    for simple in node.children("SimpleData") {
                        add(simple.attribute("name"), nil, simple, to: &fields)
                    }
                default:
                    add(node.name, nil, node, to: &fields)
                }
            }
        }
        return fields
    }

    private static func add(_ name: String?, _ displayName: String?, _ node: XMLNode?, to fields: inout [KMLField]) {
        guard fields.count < most, let name, !name.isEmpty, let node else { return }
        let value = node.containsElements ? HTMLText.plain(node.spacedHTML) : node.trimmed ?? ""
        guard !value.isEmpty else { return }
        fields.append(KMLField(name: name, displayName: displayName, value: value))
    }
}

extension [KMLField] {
    /// The value of the first name in `names` that a field has. `names` are in lower case; case does not matter in
    /// fields.
    func value(_ names: String...) -> String? {
        for name in names {
            if let field = first(where: { $0.name.lowercased() == name }) { return field.value }
        }
        return nil
    }

    /// The magnitude of an earthquake and its depth in kilometres; nil for placemarks without a magnitude.
    ///
    /// GeoNet (New Zealand) sends `mag`, and `z` with the display name `Depth (km)`.
    var earthquake: (magnitude: Double, depth: Double?)? {
        guard let magnitude = value("mag", "magnitude").flatMap({ NumberReader.double($0) }) else { return nil }
        let labelled = first { $0.displayName?.lowercased() == "depth (km)" }?.value
        let depth = (labelled ?? value("depth", "depth_km")).flatMap { NumberReader.double($0) }
        return (magnitude, depth)
    }
}
