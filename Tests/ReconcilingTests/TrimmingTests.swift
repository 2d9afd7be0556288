import Reconciling
import Testing

/// Which revisions are dropped, and where their old values go.
@Suite struct TrimmingTests {
    /// The revisions from 2 on, each with the change of its number.
    private func revisions(_ count: Int) -> [Trimming.Revision] {
        (0..<count).map { index in
            let number = Int64(index) + 2
            return Trimming.Revision(number: number, before: number - 1, sequence: number, gap: nil, isMerge: false)
        }
    }

    private func folds(_ revisions: [Trimming.Revision]) -> [String] {
        Trimming.folds(of: revisions).map { "\($0.dropped) into \($0.kept) from \($0.gap)" }
    }

    @Test func theFirstAndTheLatestNineteenStay() {
        #expect(folds(revisions(20)).isEmpty && folds([]).isEmpty)
        #expect(folds(revisions(21)) == ["1..<2 into 2 from 3"])
        #expect(folds(revisions(24)) == ["1..<5 into 5 from 3"])
    }

    @Test func aMergeStays() {
        var rows = revisions(24)
        rows[2].isMerge = true
        #expect(folds(rows) == ["1..<2 into 2 from 3", "3..<5 into 5 from 5"])
    }

    @Test func theGapIsKnownByItsFirstChange() {
        var rows = revisions(21)
        rows[1].gap = 2
        #expect(Trimming.folds(of: rows).first?.gap == 2, "there was a gap before the dropped one")
        rows[1].gap = nil
        rows[2].gap = 1
        #expect(Trimming.folds(of: rows).first?.gap == 1, "the kept one has an earlier gap")
        rows[2].gap = 4
        #expect(Trimming.folds(of: rows).first?.gap == 3)
        rows = revisions(22)
        rows[2].gap = 9
        #expect(folds(rows) == ["1..<3 into 3 from 3"], "the first dropped one came before that gap")
    }

    @Test func whatIsNotKnownIsZero() {
        var rows = revisions(21)
        rows[1].sequence = nil
        #expect(Trimming.folds(of: rows).first?.gap == 0)
        rows = revisions(21)
        rows[1].before = 1
        #expect(Trimming.folds(of: rows).first?.gap == 0, "the one before it is not there")
    }

    private func folded(_ older: [(String, String)], into newer: [(String, String)]) -> String {
        Trimming.folded(
            OldValues(older.map { (name: $0.0, json: $0.1) }), into: OldValues(newer.map { (name: $0.0, json: $0.1) })
        ).json
    }

    @Test func theOlderValueStays() {
        #expect(
            folded([("a", "null"), ("b", "1.5")], into: [("b", "2.5"), ("c", #""\"x\"""#)])
                == #"{"b":1.5,"c":"\"x\"","a":null}"#)
    }

    @Test func anOlderPlaceWithoutANameHadNone() {
        #expect(
            folded([("latitude", "1.5")], into: [("latitude", "2.5"), ("location_name", #""x""#)])
                == #"{"latitude":1.5}"#)
        #expect(
            folded([("latitude", "1.5"), ("location_name", #""x""#)], into: [("location_name", #""y""#)])
                == #"{"location_name":"x","latitude":1.5}"#)
        #expect(
            folded([("title", #""a""#)], into: [("location_name", #""y""#)])
                == #"{"location_name":"y","title":"a"}"#, "the older revision did not move it")
    }
}
