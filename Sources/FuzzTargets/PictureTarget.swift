import Foundation
import Model
import Reading

extension FuzzTarget {
    /// A target for the check of pictures.
    static let pictures = FuzzTarget("pictures", seeds: []) { data in
        switch PictureHead.check(data) {
        case .success(let content):
            try hold(content.data == data, "the picture has other bytes than were given")
            try hold(data.count <= PictureContent.largestFile, "a picture of \(data.count) bytes is kept")
            guard let head = PictureHead(data) else { throw BrokenInvariant("a picture without a head is kept") }
            try hold(head.format == content.format, "the format is read as \(head.format) and \(content.format)")
            let sides = 1...PictureHead.largestSide
            let isSized = sides.contains(head.width) && sides.contains(head.height)
            try hold(isSized, "the size is \(head.width) × \(head.height)")
            // Browsers must take the bytes for the same type, and for no page.
            let isPage = data.prefix(512).starts(with: "<".utf8) || data.prefix(512).starts(with: " ".utf8)
            try hold(!isPage, "a page is kept")
        case .failure(let refusal):
            try hold(!refusal.found.isEmpty && refusal.found.utf8.count < 200, "a refusal without good words")
        }
    }
}
