import Foundation

@testable import Reading

/// All that comes of a document, to compare.
struct XMLOutcome: Equatable {
    var items: [String] = []
    var root: String?
    var problems: [XMLProblem] = []
    var lostItems: [XMLProblem] = []
    var isTruncated = false
    /// Why it was refused.
    var code: String?
    var message: String?

    /// Reads a document.
    /// - Parameter cut: after how many bytes the pieces that libxml2 gets end; 0: where it suits.
    static func of(
        _ data: Data, itemNames: Set<String> = ["item"], limits: XMLLimits = XMLLimits(), cut: Int = 0
    ) -> XMLOutcome {
        var outcome = XMLOutcome()
        do throws(ReadingError) {
            let document = try XMLReader.read(data, itemNames: itemNames, limits: limits, cut: cut) { item in
                outcome.items.append(outline(item))
            }
            outcome.root = outline(document.root)
            outcome.problems = document.problems
            outcome.lostItems = document.lostItems
            outcome.isTruncated = document.isTruncated
        } catch {
            outcome.code = error.code
            outcome.message = error.message
        }
        return outcome
    }

    static func of(_ xml: String, limits: XMLLimits = XMLLimits(), cut: Int = 0) -> XMLOutcome {
        of(Data(xml.utf8), limits: limits, cut: cut)
    }

    /// A node with everything in it, its number and its lines.
    static func outline(_ node: XMLNode) -> String {
        let tree = node.tree
        let attributes = tree.attributes(of: node.index).map { place in
            let name = tree.names.pointee.all[tree.attributeName(place)]
            return " \(name.namespace)|\(name.local)=\(String(decoding: tree.value(place), as: UTF8.self))"
        }
        let children = node.children.map { outline($0) }
        return "<\(node.namespace)|\(node.name)|\(node.nameNumber)|\(node.line)\(attributes.joined())>"
            + children.joined() + node.text + "</>"
    }
}
