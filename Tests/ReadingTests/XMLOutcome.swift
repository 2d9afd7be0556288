import Foundation

@testable import Reading

/// The whole result of a document, for comparison.
struct XMLOutcome: Equatable {
    var items: [String] = []
    var root: String?
    var problems: [XMLProblem] = []
    var lostItems: [XMLProblem] = []
    var isTruncated = false
    /// The code of the failure; nil on success.
    var code: String?
    var message: String?

    /// Reads a document.
    /// - Parameter cut: Size in bytes of the pieces for libxml2; 0: the reader's own.
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

    /// A node with all its content, its number and its lines.
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
