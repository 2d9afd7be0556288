extension FixedWidthInteger {
    /// The number without its fraction; NaN becomes 0, and a number beyond the type's range becomes the end of the
    /// range. All numbers become integers this way, because `Int(_:)` traps on those that do not fit.
    @inlinable
    public init(clamping number: Double) {
        self = Self(exactly: number.rounded(.towardZero)) ?? (number > 0 ? .max : number < 0 ? .min : 0)
    }
}

extension Duration {
    /// A number of seconds, to the millisecond; NaN becomes 0, and the limit in either direction is 10^12 s, so that
    /// sums and products of such durations stay far from an overflow.
    public init(clampingSeconds seconds: Double) {
        let limit: Int64 = 1_000_000_000_000_000
        self = .milliseconds(max(-limit, min(limit, Int64(clamping: seconds * 1000))))
    }
}

// The standard library's conversions trap on numbers that do not fit. These hide them in every file of a module that
// imports Model; Package.swift makes their use an error.

extension Int {
    /// Not to be used: `init(clamping:)` takes any number.
    @available(*, deprecated, message: "it would trap; use init(clamping:) or init(exactly:)")
    @inlinable
    public init(_ number: Double) { self.init(clamping: number) }
}

extension Int64 {
    /// Not to be used: `init(clamping:)` takes any number.
    @available(*, deprecated, message: "it would trap; use init(clamping:) or init(exactly:)")
    @inlinable
    public init(_ number: Double) { self.init(clamping: number) }
}

extension Int32 {
    /// Not to be used: `init(clamping:)` takes any number.
    @available(*, deprecated, message: "it would trap; use init(clamping:) or init(exactly:)")
    @inlinable
    public init(_ number: Double) { self.init(clamping: number) }
}

extension UInt8 {
    /// Not to be used: `init(clamping:)` takes any number.
    @available(*, deprecated, message: "it would trap; use init(clamping:) or init(exactly:)")
    @inlinable
    public init(_ number: Double) { self.init(clamping: number) }
}

extension UInt32 {
    /// Not to be used: `init(clamping:)` takes any number.
    @available(*, deprecated, message: "it would trap; use init(clamping:) or init(exactly:)")
    @inlinable
    public init(_ number: Double) { self.init(clamping: number) }
}

extension UInt64 {
    /// Not to be used: `init(clamping:)` takes any number.
    @available(*, deprecated, message: "it would trap; use init(clamping:) or init(exactly:)")
    @inlinable
    public init(_ number: Double) { self.init(clamping: number) }
}
