import Reading

extension XMLNode {
    /// The texts of a row's cells in SpreadsheetML 2003 (`<Row><Cell ss:Index="3"><Data>`), at most 1000.
    ///
    /// The file omits empty cells: `ss:Index`, from 1 on, is the position of the next. A cell may span others
    /// (`ss:MergeAcross`).
    var spreadsheetCells: [String] {
        var cells: [String] = []
        for cell in children("Cell") {
            if let index = cell.spreadsheetNumber("Index"), index > cells.count, index <= 1000 {
                cells += Array(repeating: "", count: index - 1 - cells.count)
            }
            guard cells.count < 1000 else { break }
            cells.append(cell.child("Data")?.text ?? "")
            if let merged = cell.spreadsheetNumber("MergeAcross"), (1...1000).contains(merged) {
                cells += Array(repeating: "", count: min(merged, 1000 - cells.count))
            }
        }
        return cells
    }

    private func spreadsheetNumber(_ name: String) -> Int? {
        let value =
            attribute(name, namespace: "urn:schemas-microsoft-com:office:spreadsheet") ?? attribute("ss:" + name)
            ?? attribute(name)
        return value.flatMap { Int($0) }
    }
}
