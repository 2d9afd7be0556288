/// The memory of one document's trees and names. What holds it may use nodes of the skeleton.
///
/// They lie behind pointers because properties of a class are checked for exclusive access each time they are touched.
final class XMLContents {
    /// The names of both trees.
    let names: UnsafeMutablePointer<XMLNames>
    /// Everything that is not in an item.
    let skeleton: UnsafeMutablePointer<XMLTree>
    /// The item that is open, or the last one.
    let item: UnsafeMutablePointer<XMLTree>

    init(itemNames: Set<String>) {
        let names = UnsafeMutablePointer<XMLNames>.allocate(capacity: 1)
        names.initialize(to: XMLNames(itemNames: itemNames))
        let skeleton = UnsafeMutablePointer<XMLTree>.allocate(capacity: 1)
        skeleton.initialize(to: XMLTree(names: names))
        let item = UnsafeMutablePointer<XMLTree>.allocate(capacity: 1)
        item.initialize(to: XMLTree(names: names))
        self.names = names
        self.skeleton = skeleton
        self.item = item
    }

    deinit {
        for tree in [skeleton, item] {
            tree.pointee.deallocate()
            tree.deinitialize(count: 1)
            tree.deallocate()
        }
        names.deinitialize(count: 1)
        names.deallocate()
    }
}
