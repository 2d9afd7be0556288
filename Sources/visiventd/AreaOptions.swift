import ArgumentParser
import Foundation
import Model
import Operations
import Settings
import Store

/// Parses the values of `--near`, `--at`, `--radius`, `--bbox`, `--country` and numeric options, the same for all commands.
enum AreaOptions {
    /// Kilometres around a place without `--radius`.
    static let usualRadius = 100.0

    /// Parses `LATITUDE,LONGITUDE`, longitudes from -180 to 360; nil for a name.
    /// - Parameter option: The name of the option, for the error.
    static func centre(_ near: String, of option: String = "--near") throws -> Coordinate? {
        if NamedPlace.isName(near) { return nil }
        let shape = "LATITUDE,LONGITUDE"
        let numbers = try numbers(near, count: 2, option, shape)
        guard (-180...360).contains(numbers[1]), let centre = Coordinate(latitude: numbers[0], longitude: numbers[1])
        else {
            throw ValidationError(
                "\(option) takes \(shape), latitude from -90 to 90, longitude from -180 to 360, found '\(near)'")
        }
        return centre
    }

    /// Parses a finite number.
    /// - Parameter accepted: The phrase for accepted values, for the error.
    static func number(_ text: String, _ accepted: String) throws -> Double {
        guard let number = Double(text), number.isFinite else { throw ValidationError("accepted is \(accepted)") }
        return number
    }

    /// Parses a magnitude or a depth.
    @Sendable static func decimal(_ text: String) throws -> Double {
        try number(text, "a number with a point, such as 5.5")
    }

    /// Parses a whole number; `accepted` as for `number`.
    static func wholeNumber(_ text: String, _ accepted: String) throws -> Int {
        guard let number = Int(text) else { throw ValidationError("accepted is \(accepted)") }
        return number
    }

    /// Parses the value of `--radius`.
    static func kilometres(of text: String) throws -> Double {
        try number(text, "a number of kilometres without a unit, such as 300 or 12.5")
    }

    /// The radius or its default; throws unless it is above 0 and finite.
    static func kilometres(_ radius: Double?) throws -> Double {
        let kilometres = radius ?? usualRadius
        guard kilometres > 0, kilometres.isFinite else {
            throw ValidationError("--radius takes more than 0, found \(kilometres)")
        }
        return kilometres
    }

    /// Parses `WEST,SOUTH,EAST,NORTH`; longitudes may exceed ±180°, up to ±540, as on a dragged map.
    static func box(_ bbox: String) throws -> BoundingBox {
        let shape = "WEST,SOUTH,EAST,NORTH"
        let numbers = try numbers(bbox, count: 4, "--bbox", shape)
        let isRound = numbers[2] - numbers[0] >= 360
        let (west, east) = isRound ? (-180, 180) : (numbers[0], numbers[2])
        guard (-540...540).contains(numbers[0]), (-540...540).contains(numbers[2]),
            let box = BoundingBox(west: west, south: numbers[1], east: east, north: numbers[3])
        else {
            throw ValidationError(
                "--bbox takes \(shape) in degrees, west and east from -540 to 540, south below north and both from -90 to "
                    + "90, found '\(bbox)'")
        }
        return box
    }

    /// Parses the value of `--country`; returns the code in upper case.
    static func country(_ text: String) throws -> String {
        if let country = CountryCode(text) { return country.code }
        let meant = CountryCode.suggestion(for: text).map { "; did you mean \($0)?" } ?? ""
        let hint = text.contains(",") ? "; repeat the option for each" : meant
        throw ValidationError("--country takes a two-letter code (ISO 3166-1) such as JP, found '\(text)'\(hint)")
    }

    private static func numbers(_ text: String, count: Int, _ name: String, _ shape: String) throws -> [Double] {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Double($0.trimmingCharacters(in: .whitespaces)) }
        guard numbers.count == count, parts.count == count else {
            throw ValidationError("\(name) takes \(shape), found '\(text)'")
        }
        return numbers
    }
}

extension DatabaseOptions {
    /// The middle of `--near`: a coordinate, or the volcano or city of a name, which is said on standard error.
    /// - Throws: As `settings()`; `ExitCode` for a name that leads to no place or to several, after printing them.
    func centre(_ near: String, in store: EventStore) throws -> Coordinate {
        if let centre = try AreaOptions.centre(near) { return centre }
        do {
            let place = try NamedPlaces(cityTable: settings().gazetteer.path).find(near, in: store)
            Terminal.printError("near \(place.words)")
            return place.coordinate
        } catch let fault as NamedPlace.Fault {
            guard case .ambiguous(_, let places, _, _) = fault else {
                Terminal.printError("visiventd: \(hints.completed(fault.words))")
                throw ExitStatus.usage
            }
            Terminal.printError("visiventd: \(fault.words); \(fault.advice("LATITUDE,LONGITUDE"))")
            for place in places { Terminal.printError("  \(place.words)") }
            throw ExitStatus.usage
        }
    }
}
